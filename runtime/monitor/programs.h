/*
 * programs - the further programs of a sandbox that stays: those that run, and those whose output
 * is kept.
 *
 * A program whose output is kept is remembered after its end, with its exit code and its log. Their
 * number and the sizes of their logs have bounds: the oldest that has ended is forgotten first, and
 * a program is refused when those that run take all.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_PROGRAMS_H
#define GLOVEBOX_MONITOR_PROGRAMS_H

#include <sys/queue.h>

#include "client/hub.h"
#include "monitor/background.h"
#include "monitor/messages.h"
#include "monitor/record_keep.h"
#include "sandbox/run.h"

#define PROGRAMS_KEPT      256
#define PROGRAMS_LOG_BYTES (256ull << 20) /* of all logs together */
#define PROGRAM_COMMAND    200

struct programs;

struct further_program {
	TAILQ_ENTRY(further_program) entry; /* the oldest first */
	struct programs *of;
	uint32_t number;
	bool interactive;
	bool tty;
	bool kept;    /* the rest is of those alone */
	bool started; /* it has been executed, or is gone */
	bool ended;
	int status; /* its wait status */
	uint64_t started_ms;
	uint64_t ended_ms;
	uint64_t log_bytes;
	struct hub_watch reports;
	struct background background;
	char command[PROGRAM_COMMAND];
};

struct programs {
	struct hub *hub;                  /* borrowed */
	const struct record_kept *record; /* borrowed */
	int dir;                          /* owned; RECORD_PROGRAMS; -1: not made yet */
	TAILQ_HEAD(, further_program) all;
	/* A program that is kept has been executed, or is gone; or *failure says why it is not. */
	void (*started)(void *context, uint32_t number, const struct err *failure);
	void *context; /* borrowed */
};

/*
 * programs_begin - remember none, and remove the logs that an earlier monitor has left.
 * @p  with hub, record, started and context filled in. End with programs_end().
 */
void programs_begin(struct programs *p);

/*
 * programs_keep - start a program, and keep what it prints. p->started() is called once, later.
 *
 * @run     NULL: the sandbox has ended.
 * @r       an "exec" with `keep`.
 * @number  out.
 * Errors: as starting_exec(); ERR_LIMIT: those that run take all that is kept.
 */
int programs_keep(struct programs *p, struct run *run, const struct monitor_request *r,
		  uint32_t *number, struct err *e);

/* A program whose client has its streams has been ordered: remember it until its end. */
void programs_note(struct programs *p, const struct monitor_request *r, uint32_t number);

/* A program has ended; what it printed is in its log when this returns. */
void programs_on_end(struct programs *p, const struct report *report);

/*
 * programs_attach - the answer to an "attach" of a program.
 * @input  out: leads to its input; borrowed; -1: the monitor has none.
 * Errors: ERR_NOT_FOUND.
 */
int programs_attach(const struct programs *p, uint32_t number, struct monitor_answer *answer,
		    int *input, struct err *e);

/* Set the size of its pty, if the monitor has that. */
void programs_resize(const struct programs *p, uint32_t number, const struct monitor_request *r);

/*
 * programs_tell - list those after a number.
 * @out  its `programs`: form_fini(); its texts are borrowed until the next turn of the hub.
 */
void programs_tell(const struct programs *p, uint64_t after, struct monitor_answer *out);

/* The sandbox has ended: add what the streams hold to the logs. Safe on zeroes. */
void programs_end(struct programs *p);

#endif
