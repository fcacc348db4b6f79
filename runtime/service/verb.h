/*
 * verb - one command of glovebox as an operation on a hub: a child process, its streams, and how it
 * ended.
 *
 * A process that serves many starts no sandbox itself: the clone would have its memory. It starts
 * the command that a person would type, under the name docker, whose words and statuses are those
 * that clients decide by. A command that fails says so on a descriptor of its own (base/told.h), so
 * that nothing is read out of text for people. If this process is killed, what runs goes on.
 *
 * Runs: engine. Needs: nothing beyond what the command needs.
 */
#ifndef GLOVEBOX_SERVICE_VERB_H
#define GLOVEBOX_SERVICE_VERB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "client/hub.h"
#include "service/verb_child.h"

struct verb_request {
	struct verb_command command;
	/*
	 * A piece of its standard output (1) or errors (2) has come; NULL: they are in the result.
	 */
	void (*take)(void *context, int stream, const char *bytes, size_t length);
	/* All that verb_feed() took is gone; NULL. */
	void (*fed)(void *context);
	/* It says that it is ready (told_ready()); NULL. */
	void (*ready)(void *context);
};

#define VERB_OUTPUT_MAX (16u << 20) /* bytes of output that a result holds */

struct verb_result {
	int status;           /* its exit status */
	struct err error;     /* it failed, and says why; ERR_NONE: it says nothing */
	struct buf output[2]; /* without `take` */
};

struct verb;

/*
 * verb_start - start it.
 *
 * @request  its words and context are borrowed until `done`.
 * @result   outlives the operation; end it with verb_result_fini().
 * @done     called once, in a turn of the hub; the operation may be freed there. Not called if it
 *           is freed before.
 * @context  of all functions.
 * Errors: ERR_SYSTEM; request->in is closed.
 */
int verb_start(struct hub *hub, const struct verb_request *request, struct verb_result *result,
	       void (*done)(void *context), void *context, struct verb **out, struct err *e);

/* Send it input. Returns how many bytes were taken: 0: none until `fed`. */
size_t verb_feed(struct verb *v, const char *bytes, size_t length);

/* Nothing follows what was fed. */
void verb_feed_end(struct verb *v);

/* Set the size of its terminal. */
void verb_resize(struct verb *v, uint16_t rows, uint16_t columns);

/* Read no output until it is released: the command waits. */
void verb_hold(struct verb *v, bool held);

/* Free it. A command that runs is killed; what it has started goes on. Safe on NULL. */
void verb_free(struct verb *v);

/* Free what is in a result. */
void verb_result_fini(struct verb_result *r);

#endif
