/*
 * hub - drive descriptors, operations and timers of a server with one epoll(7).
 *
 * hub_turn() makes all calls, one after the other, on one thread; a callback must not wait. A
 * callback may remove any watch, operation or timer and free its owner: the hub drops its pending
 * events of the same turn.
 *
 * Touches the OS. Runs: client, serve, mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_HUB_H
#define GLOVEBOX_CLIENT_HUB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "loop/loop.h"
#include "sandbox/endings.h"

struct hub;

/* Open a hub; NULL with *e. Owned: hub_close(). */
struct hub *hub_open(struct err *e);

/*
 * hub_open_lone - the same for a process that waits for one operation at a time, and for LOOP_ALSO
 * descriptors: by poll(2), which costs 70 system calls less for each call of a session.
 */
struct hub *hub_open_lone(void);

/* Safe on NULL. All watches must have been removed. Waits a moment for killed processes. */
void hub_close(struct hub *hub);

/* A descriptor; embed it in its owner. */
struct hub_watch {
	void (*ready)(void *context, uint32_t events); /* of epoll_ctl(2) */
	void *context;
	int fd; /* borrowed; -1: not watched */
};

/* Errors: ERR_SYSTEM; then w->fd is -1. */
int hub_watch(struct hub *hub, struct hub_watch *w, int fd, uint32_t events, struct err *e);

/* Wait for other events. Errors: -1. */
int hub_rewatch(struct hub *hub, struct hub_watch *w, uint32_t events);

/* Safe if not watched. Call it before closing the descriptor. */
void hub_unwatch(struct hub *hub, struct hub_watch *w);

/* A timer; embed it in its owner. */
struct hub_timer {
	void (*ring)(void *context); /* called once; may set the timer again */
	void *context;
	uint64_t due_us; /* monotonic */
	bool is_set;
	struct hub_timer *next;
};

/* An operation (loop/loop.h): stepped whenever a step is due, until it is over. */
struct hub_operation {
	bool (*step)(void *operation); /* true: it is over */
	void *operation;
	void (*done)(void *context); /* the operation is over and was removed */
	void *context;
	struct hub *hub;
	struct loop *loop; /* borrowed */
	struct hub_watch watch;
	struct hub_timer blind;
};

/*
 * hub_drive - drive an operation from now on; @x with step, operation, done and context filled in.
 * Errors: ERR_SYSTEM: out of descriptors. It is not driven then.
 */
int hub_drive(struct hub *hub, struct hub_operation *x, struct loop *loop, struct err *e);

/* Stop driving it, and leave it as it is. Safe if it is not driven. */
void hub_drop(struct hub_operation *x);

/* Set a timer, or set it anew. One that is due when another rings has its turn in the next one. */
void hub_ring(struct hub *hub, struct hub_timer *t, uint64_t due_us);

/* Cancel a timer. Safe if it is not set. */
void hub_silence(struct hub *hub, struct hub_timer *t);

/* Killed processes that have not ended yet; each turn checks them. Borrowed. */
struct endings *hub_endings(struct hub *hub);

/* Wait until something is due, and make the calls. */
void hub_turn(struct hub *hub);

#endif
