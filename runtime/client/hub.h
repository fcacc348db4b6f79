/*
 * hub - one epoll(7) for everything that a server waits for: descriptors, operations and moments.
 *
 * Everything is called from hub_turn(), one thing after the other, on one thread; nothing that is
 * called may wait. A watch, an operation or a timer may be removed, and its owner freed, in any of
 * these calls: what the same turn had found ready for it is forgotten.
 *
 * Touches the OS. Runs: serve, mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_HUB_H
#define GLOVEBOX_CLIENT_HUB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/loop.h"
#include "host/endings.h"

struct hub;

/* A new one; NULL with *e. Owned: hub_close(). */
struct hub *hub_open(struct err *e);

/* Safe on NULL. Nothing may be watched any more. Waits a moment for what was killed. */
void hub_close(struct hub *hub);

/* A descriptor; embed it in its owner. */
struct hub_watch {
	void (*ready)(void *context, uint32_t events); /* of epoll_ctl(2) */
	void *context;
	int fd; /* borrowed; -1: not watched */
};

/* Errors: ERR_SYSTEM; then w->fd is -1. */
int hub_watch(struct hub *hub, struct hub_watch *w, int fd, uint32_t events, struct err *e);

/* Safe when it is not watched. Call it before the descriptor is closed. */
void hub_unwatch(struct hub *hub, struct hub_watch *w);

/* A moment; embed it in its owner. */
struct hub_timer {
	void (*ring)(void *context); /* once; it may be set again */
	void *context;
	uint64_t due_us; /* monotonic */
	bool is_set;
	struct hub_timer *next;
};

/* An operation (base/loop.h): stepped when a step is due, until it is over. */
struct hub_operation {
	bool (*step)(void *operation); /* true: it is over */
	void *operation;
	void (*done)(void *context); /* it is over, and not driven any more */
	void *context;
	struct hub *hub;
	struct loop *loop; /* borrowed */
	struct hub_watch watch;
	struct hub_timer blind;
};

/*
 * hub_drive - drive it from now on; @x with step, operation, done and context filled in.
 * Errors: ERR_SYSTEM: no descriptor is left. It is not driven then.
 */
int hub_drive(struct hub *hub, struct hub_operation *x, struct loop *loop, struct err *e);

/* Leave it as it is. Safe when it is not driven. */
void hub_drop(struct hub_operation *x);

/* Set it, or set it anew. */
void hub_ring(struct hub *hub, struct hub_timer *t, uint64_t due_us);

/* Safe when it is not set. */
void hub_silence(struct hub *hub, struct hub_timer *t);

/* What was killed here and has not ended yet; it is looked at in each turn. Borrowed. */
struct endings *hub_endings(struct hub *hub);

/* Wait until something is due, and call whoever it is for. */
void hub_turn(struct hub *hub);

#endif
