/*
 * listeners - accept connections: at the sandbox's ports, and at published ports.
 *
 * The socket of a published port comes from the process that publishes it (sandbox/published.h).
 *
 * Runs: glovebox-egress. Needs: sockets of the sandbox's network namespace.
 */
#ifndef GLOVEBOX_EGRESS_LISTENERS_H
#define GLOVEBOX_EGRESS_LISTENERS_H

#include <stdbool.h>
#include <stdint.h>

#include "egress/egress.h"

#define LISTENERS_PUBLISHED (2 * EGRESS_MAX_PUBLISHED) /* while some take the place of others */
#define LISTENERS_MAX       (EGRESS_INSIDE_PORTS + LISTENERS_PUBLISHED)

/* One listening socket. */
struct listener {
	struct watch watch;
	struct egress *egress;
	int fd; /* owned; -1: another published port has taken it over, or none is here */
	uint64_t retry_ms; /* paused until then; 0: not paused */
	bool is_published;
	uint16_t port;              /* of the sandbox */
	struct egress_published at; /* of a published one */
};

struct listeners {
	struct listener items[LISTENERS_MAX]; /* is_published and `fd` say which are free */
	unsigned count;
};

/* Whether further ports can be published. Errors: ERR_INPUT: too many, or one of the list's own. */
int listeners_check(const struct listeners *l, const struct egress_spec *more, struct err *e);

/*
 * listeners_publish - add published ports that were checked.
 *
 * One at whose place another is published takes over its socket: it alone gets connections from
 * now on. Once it is withdrawn the other has the socket again, unless that was withdrawn before.
 *
 * @fds  listeners_lacking() many, in the order of the ports; owned by the call.
 */
void listeners_publish(struct listeners *l, struct egress *g, const struct egress_spec *more,
		       int *fds);

/* How many of these ports bring a socket of their own. */
size_t listeners_lacking(struct listeners *l, const struct egress_spec *more);

/* Start to accept at those that have been added since. On error withdraw them. */
int listeners_start_published(struct listeners *l, struct err *e);

/*
 * listeners_withdraw - close published ports, and end their connections. One that is not published
 * counts as withdrawn.
 */
void listeners_withdraw(struct listeners *l, const struct egress_spec *less);

/* Add a listener of the sandbox; @fd: owned. */
void listeners_add(struct listeners *l, struct egress *g, int fd, uint16_t port);

/* Start to accept. */
int listeners_start(struct listeners *l, struct err *e);

/*
 * listeners_tick - retry listeners that paused for lack of descriptors. Returns whether one is
 * still paused.
 */
bool listeners_tick(struct listeners *l);

/* Whether a port of the sandbox has a listener. */
bool listeners_have(const struct listeners *l, uint16_t port);

/* Stop accepting. */
void listeners_close(struct listeners *l);

#endif
