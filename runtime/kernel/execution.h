/*
 * execution - a cell that is executed: what it prints, displays and asks while it runs.
 *
 * Runs: kernel. Needs: nothing.
 */
#ifndef GLOVEBOX_KERNEL_EXECUTION_H
#define GLOVEBOX_KERNEL_EXECUTION_H

#include "kernel/told.h"
#include "kernel/work.h"

struct execution {
	struct work work;
	struct told told;
	struct buf printed;    /* that is not published yet */
	const char *stream;    /* "stdout" or "stderr", of that */
	struct hub_timer soon; /* to publish it */
	int theirs[EXCHANGE_HANDED];
	unsigned number;
	bool silent;
	bool stores; /* it is in the history */
	bool stops_on_error;
	bool failed;
	struct buf error;   /* members of the reply: what was raised */
	struct buf payload; /* what is to be shown beside the results */
};

/* Called while it runs, with the execution as context. */
void execution_take_out(void *execution, const char *bytes, size_t length);
void execution_take_err(void *execution, const char *bytes, size_t length);
void execution_take_mark(void *execution);
void execution_take_event(void *execution, const struct json *event);
void execution_is_due(void *execution);

/* Publish what was printed. */
void execution_flush(struct execution *x);

/* Publish a text of ours on stderr. */
void execution_say(struct execution *x, const char *text);

/*
 * Publish a bundle (rootfs/guest/display.py), which may be any JSON, as a message of that type.
 * @event  that has it; NULL: none.
 */
void execution_publish_bundle(struct execution *x, const char *type, const struct json *bundle,
			      const struct json *event);

#endif
