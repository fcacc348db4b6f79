/*
 * further - one further program in a session as an operation on a hub: it goes through the door
 * (client/session_door.h), beside the session's Python and all others, has streams of its own, and
 * is over when it has ended and what it printed has been passed on.
 *
 * Another process of the session may hold its streams open: after the end only what lies in them
 * already counts.
 *
 * Runs: serve. Needs: nothing beyond what asking a supervisor needs.
 */
#ifndef GLOVEBOX_SESSION_FURTHER_H
#define GLOVEBOX_SESSION_FURTHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/list.h"
#include "client/hub.h"

struct further_request {
	const char *where; /* the supervisor (wire/runtime_dir.h); borrowed until `done` */
	const char *name;  /* of the session */
	/* The next four are borrowed until `done`. */
	const struct list *words; /* at least one */
	const struct list *env;   /* KEY=VALUE, over the session's variables; NULL: none */
	const char *workdir;      /* absolute; NULL: the session's */
	/* A program of ours, as a descriptor, of which `words` are the arguments; NULL: none. */
	const int *program;
	bool interactive; /* it has an input */
	bool tty;         /* one terminal for its three streams, of this size */
	uint16_t rows;
	uint16_t columns;
	uint64_t timeout_ms; /* then it is killed; 0: none */

	void (*started)(void *context); /* it has been executed */
	/* A piece of its standard output (1) or errors (2); of a terminal all is output. */
	void (*take)(void *context, int stream, const char *bytes, size_t length);
	void (*fed)(void *context); /* it takes input, or takes it again */
};

struct further_result {
	/* It did not run (ERR_NOT_FOUND, ERR_DENIED, ERR_BUSY: the session is frozen), or nobody
	 * knows how it ended: ERR_GONE, and the session with it. */
	bool failed;
	struct err error;
	bool no_session; /* failed: the session has ended, never was, or is frozen */
	int status;      /* wait status */
	bool timed_out;
};

struct further;

/*
 * further_start - begin.
 *
 * @result   outlives the operation.
 * @done     called once, in a turn of the hub; not called if the program is freed before.
 * @context  of all functions.
 * Errors: ERR_SYSTEM: no descriptor is left.
 */
int further_start(struct hub *hub, const struct further_request *request,
		  struct further_result *result, void (*done)(void *context), void *context,
		  struct further **out, struct err *e);

/* Its number in the session; 0: it has none yet. */
uint32_t further_number(const struct further *p);

/* Send it input. Returns how many bytes were taken; 0: none until `fed`. */
size_t further_feed(struct further *p, const char *bytes, size_t length);

/* Nothing follows what was fed. */
void further_feed_end(struct further *p);

/* Set the size of its terminal. */
void further_resize(struct further *p, uint16_t rows, uint16_t columns);

/* Send a signal to its process group. Safe before it has started: it is ended then. */
void further_signal(struct further *p, int number);

/*
 * Kill its process group. It is over soon: after 5 s also if it has not ended, because the session
 * stands still (ERR_GONE).
 */
void further_kill(struct further *p);

/* Read no output until it is released: the program waits. */
void further_hold(struct further *p, bool held);

/* Free it, after `done` or earlier: earlier it goes on without streams. Safe on NULL. */
void further_free(struct further *p);

#endif
