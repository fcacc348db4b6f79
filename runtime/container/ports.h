/*
 * ports - `port`, and the published ports of a sandbox that stays in docker's fields.
 *
 * Runs: `glovebox`. Needs: nothing.
 */
#ifndef GLOVEBOX_CONTAINER_PORTS_H
#define GLOVEBOX_CONTAINER_PORTS_H

#include "base/buf.h"
#include "netpolicy/egress.h"
#include "record/record.h"

/* The flags of `update` as they are kept: "--publish=..." and "--publish-rm=...". */
#define PORTS_FLAGS "--publish"

/* Its ports as they are bound, and how many; none of one that does not run. */
size_t ports_bound(const struct record *r, struct egress_published out[EGRESS_MAX_PUBLISHED]);

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
