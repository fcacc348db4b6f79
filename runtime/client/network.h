/*
 * network - start the process that serves a sandbox's network.
 *
 * Runs: monitor, client. Needs: host/egress.h.
 */
#ifndef GLOVEBOX_CLIENT_NETWORK_H
#define GLOVEBOX_CLIENT_NETWORK_H

#include "base/buf.h"
#include "base/err.h"
#include "host/sandbox.h"

/*
 * network_prepare - prepare what an opened sandbox needs beyond loopback; nothing if it needs
 * nothing.
 *
 * It is the sandbox's (s->egress), which starts it once there is a group for it (egress_start()).
 * Call it before sandbox_plan(), which puts its descriptor into the plan.
 */
int network_prepare(struct sandbox *s, enum egress_life life, struct err *e);

/*
 * network_try - start one for no sandbox, and end it.
 * Errors: ERR_UNSUPPORTED: it is not installed, or not in this one file; else what it says itself.
 */
int network_try(struct err *e);

/*
 * network_write_published - append which ports were taken for those that -p left open: a line for
 * each, "127.0.0.1:40000 is port 8000 inside"; nothing for those that were named.
 */
void network_write_published(const struct sandbox *s, struct buf *out);

/* Print such lines on stderr. @who  "glovebox" or "docker": before each. */
void network_say_published(const struct buf *lines, const char *who);

#endif
