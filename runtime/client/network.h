/*
 * network - start the process that serves a sandbox's network, and speak to that of a session.
 *
 * Runs: monitor, client. Needs: host/egress.h.
 */
#ifndef GLOVEBOX_CLIENT_NETWORK_H
#define GLOVEBOX_CLIENT_NETWORK_H

#include "base/err.h"
#include "host/sandbox.h"

/*
 * network_start - start what an opened sandbox needs beyond loopback; nothing if it needs nothing.
 *
 * It is the sandbox's (s->egress), and has begun once egress_look() or egress_await() says so.
 * Call it before sandbox_plan(), which puts its descriptor into the plan.
 */
int network_start(struct sandbox *s, enum egress_life life, struct err *e);

/*
 * network_try - start one for no sandbox, and end it.
 * Errors: ERR_UNSUPPORTED: it is not installed, or not in this one file; else what it says itself.
 */
int network_try(struct err *e);

/*
 * network_say_published - print which ports were taken for those that -p left open, a line for each
 * on stderr; nothing for those that were named.
 *
 * @who  "glovebox" or "docker".
 */
void network_say_published(const struct sandbox *s, const char *who);

/*
 * network_borrow - a copy of the control socket of a session's network, whoever has the session.
 *
 * @where  the supervisor (wire/runtime_dir.h).
 * @out    owned by the caller.
 * Errors: ERR_NOT_FOUND, ERR_GONE: it has ended; ERR_INPUT: it was started without a network.
 */
int network_borrow(const char *where, const char *name, int *out, struct err *e);

#endif
