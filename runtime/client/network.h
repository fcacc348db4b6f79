/*
 * network - start glovebox-egress for a sandbox's network.
 *
 * Runs: monitor, client. Needs: sandbox/egress.h.
 */
#ifndef GLOVEBOX_CLIENT_NETWORK_H
#define GLOVEBOX_CLIENT_NETWORK_H

#include "base/buf.h"
#include "base/err.h"
#include "sandbox/sandbox.h"

/*
 * network_prepare - prepare glovebox-egress for an opened sandbox; does nothing without a network.
 *
 * The sandbox owns it (s->egress), and starts it once its group exists (egress_start()). Call it
 * before sandbox_plan(), which puts its descriptor into the plan.
 */
int network_prepare(struct sandbox *s, enum egress_life life, struct err *e);

/*
 * network_try - start one without a sandbox, and end it.
 * Errors: ERR_UNSUPPORTED: it is not installed, or not part of the one-file program; else its own.
 */
int network_try(struct err *e);

/*
 * network_write_published - append the ports chosen for those that -p left open: a line each,
 * "127.0.0.1:40000 is port 8000 inside"; nothing for ports that were named.
 */
void network_write_published(const struct sandbox *s, struct buf *out);

/* The same of these ports. @bound: `count` as well, in the same order. */
void network_write_chosen(const struct egress_published *asked,
			  const struct egress_published *bound, size_t count, struct buf *out);

/* Append them as docker has them: "127.0.0.1:40000->8000/tcp, ..."; none: nothing. */
void network_write_arrows(const struct egress_published *ports, size_t count, struct buf *out);

/* Append a list: {"address": "127.0.0.1:40000", "port": 8000} for each published port. */
void network_put_ports(const struct egress_published *ports, size_t count, const char *key,
		       struct buf *out);

/*
 * network_read_ports - read such a list, as far as it is one. @list: NULL: none. Returns how many.
 */
size_t network_read_ports(const struct json *list,
			  struct egress_published out[EGRESS_MAX_PUBLISHED]);

/* Print such lines on stderr. @who: "glovebox" or "docker": before each. */
void network_say_published(const struct buf *lines, const char *who);

#endif
