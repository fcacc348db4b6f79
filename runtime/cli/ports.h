/*
 * ports - `port`, and the published ports of a sandbox that stays in docker's fields.
 *
 * Runs: `glovebox`. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_PORTS_H
#define GLOVEBOX_CLI_PORTS_H

#include "base/buf.h"
#include "monitor/record.h"

/*
 * Append as docker has them: {"8000/tcp": [{"HostIp": "127.0.0.1", "HostPort": "40000"}]}.
 *
 * ports_put_network writes "NetworkSettings", with those of one that runs, as they are bound;
 * ports_put_bindings writes "PortBindings", as they were asked for: the port is "" where it is
 * chosen at each start.
 */
void ports_put_network(const struct record *r, struct buf *out);
void ports_put_bindings(const struct record *r, struct buf *out);

#endif
