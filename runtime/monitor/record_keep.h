/*
 * record_keep - the record of a sandbox, as its monitor writes it.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_RECORD_KEEP_H
#define GLOVEBOX_MONITOR_RECORD_KEEP_H

#include "base/buf.h"
#include "base/list.h"
#include "record/event.h"
#include "record/record.h"
#include "sandbox/sandbox.h"

/* The record of a monitor. */
struct record_kept {
	int dir;  /* owned; -1: none */
	int lock; /* owned */
	char id[RECORD_ID];
	char name[RECORD_NAME];
	uint64_t started_ms;
	enum record_state state; /* once started: it runs, is paused or hibernates */
	uint64_t hibernated_ms;  /* the last time; 0: never */
	bool again;              /* it existed before: a start that fails leaves it */
	struct json *what;       /* owned; as struct record has it; NULL: not read yet */
};

/* The command line that made a sandbox: `start` reads it again. */
struct record_origin {
	char *const *words; /* "run", its flags, the image, ...; `count` of them */
	int count;
	const char *directory;            /* in which they were said */
	bool docker;                      /* under the name docker */
	const struct string_list *labels; /* KEY=VALUE each; borrowed; NULL: none */
};

static inline struct record_kept record_kept_none(void)
{
	return (struct record_kept){.dir = -1, .lock = -1};
}

/*
 * record_keep - make the record of a sandbox, and lock it.
 *
 * @s     opened: its id, its spec's name, and what it runs.
 * @out   end with record_end_keeping(), or with the process.
 * Errors: ERR_EXISTS: another sandbox of the user's has the name.
 */
int record_keep(const struct sandbox *s, const struct record_origin *origin,
		struct record_kept *out, struct err *e);

/*
 * record_keep_again - lock the record of a sandbox that is to start anew.
 * Errors: ERR_BUSY: it runs.
 */
int record_keep_again(const char *id, struct record_kept *out, struct err *e);

/* Write that it was made, and not started. */
int record_created(const struct record_kept *k, struct err *e);

/*
 * Write that it runs, is paused or hibernates; and tell it (record/event.h), if it did not before.
 */
int record_running(struct record_kept *k, const struct sandbox *s, enum record_state state,
		   struct err *e);

/*
 * record_put_update - replace RECORD_UPDATE, in the directory of a record.
 * @flags   of `run`, read after those of the record.
 * @limits  that follow from both.
 */
int record_put_update(int dir, const struct list *flags, const struct limits *limits,
		      struct err *e);

/*
 * Write how it ended.
 *
 * @result  a JSON object; NULL: it never ran, and @error says why.
 * @error   with a result, what was lost; NULL: nothing.
 */
int record_ended(const struct record_kept *k, int exit_code, const struct buf *result,
		 const struct err *error, struct err *e);

/* It has not started: remove it, or if it existed before write why. */
void record_failed(struct record_kept *k, int exit_code, const struct err *error);

/* Write an event of the sandbox (record/event.h). */
void record_tell(struct record_kept *k, const struct event *what);

/* Remove it with its name. */
void record_discard(struct record_kept *k);
void record_end_keeping(struct record_kept *k);

#endif
