/*
 * listeners - accept connections: at the sandbox's ports, and at published ports.
 *
 * The socket of a published port comes from the process that publishes it (host/published.h).
 *
 * Runs: glovebox-egress. Needs: sockets of the sandbox's network namespace.
 */
#ifndef GLOVEBOX_EGRESS_LISTENERS_H
#define GLOVEBOX_EGRESS_LISTENERS_H

#include <stdbool.h>
#include <stdint.h>

#include "egress/egress.h"

#define LISTENERS_MAX (EGRESS_INSIDE_PORTS + EGRESS_MAX_PUBLISHED)

/* One listening socket. */
struct listener {
	struct watch watch;
	struct egress *egress;
	int fd;            /* owned */
	uint64_t retry_ms; /* paused until then; 0: not paused */
	bool is_published;
	uint16_t port;              /* of the sandbox */
	struct egress_published at; /* of a published one */
};

struct listeners {
	struct listener items[LISTENERS_MAX]; /* `fd` is -1 where a port was withdrawn */
	unsigned count;
};

/* Whether further ports can be published. Errors: ERR_INPUT: too many, or one of the list's own. */
int listeners_check(const struct listeners *l, const struct egress_spec *more, struct err *e);

/* Add published ports that were checked. @fds: one for each; owned by the call. */
void listeners_publish(struct listeners *l, struct egress *g, const struct egress_spec *more,
		       int *fds);

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
