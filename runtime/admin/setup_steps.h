/*
 * setup_steps - a list of the steps of `glovebox setup`: to store, print and perform.
 *
 * No side effects but those of the caller's `act`; setup_steps_check() looks for programs.
 *
 * Runs: `glovebox setup`.
 */
#ifndef GLOVEBOX_ADMIN_SETUP_STEPS_H
#define GLOVEBOX_ADMIN_SETUP_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"

enum setup_kind {
	SETUP_WRITE,  /* write `content` to the file */
	SETUP_REMOVE, /* remove the file */
	SETUP_RUN,    /* run a command */
	SETUP_LATER,  /* the same, for the person who starts that system */
	SETUP_BACK,   /* a command that root may run to undo a step */
	SETUP_SAY,    /* print a line */
};

struct setup_step {
	enum setup_kind kind;
	bool optional;     /* report a failure, and continue */
	char *text;        /* path of a file, or the line to print */
	char *content;     /* of a file */
	struct list words; /* of a command */
};

struct setup_steps {
	struct setup_step *items;
	size_t count;
};

/* Add a step. @text: owned by the list. Returns it, borrowed until the next one is added. */
struct setup_step *setup_steps_add(struct setup_steps *steps, enum setup_kind kind, char *text);

/*
 * Add a command: SETUP_RUN, SETUP_LATER or SETUP_BACK. @words: end with NULL; more can be appended
 * to the step's.
 */
struct setup_step *setup_steps_command(struct setup_steps *steps, enum setup_kind kind,
				       const char *const *words);
void setup_steps_fini(struct setup_steps *steps);

/*
 * setup_steps_check - judge before the first step whether every program that a step needs is there.
 * @root_fd  borrowed; of the system on which they run. Errors: ERR_UNSUPPORTED.
 */
int setup_steps_check(const struct setup_steps *steps, int root_fd, struct err *e);

/*
 * setup_steps_carry_out - call `act` on each step in order. Returns 0; -1: *e, and the rest is not
 * performed.
 */
typedef int (*setup_act)(const struct setup_step *step, void *context, struct err *e);
int setup_steps_carry_out(const struct setup_steps *steps, setup_act act, void *context,
			  struct err *e);

/* Append the steps for people, one line each, followed by the contents of files. */
void setup_steps_print(const struct setup_steps *steps, struct buf *out);

#define auto_setup_steps __attribute__((cleanup(setup_steps_fini)))

#endif
