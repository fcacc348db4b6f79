/*
 * setup_steps - what `glovebox setup` does, as a list: kept, printed, carried out.
 *
 * No side effects but those of the caller's `act`. Runs: `glovebox setup`.
 */
#ifndef GLOVEBOX_CLI_SETUP_STEPS_H
#define GLOVEBOX_CLI_SETUP_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"

enum setup_kind {
	SETUP_WRITE,  /* `content` into the file */
	SETUP_REMOVE, /* the file */
	SETUP_RUN,    /* a command */
	SETUP_LATER,  /* the same, for whoever starts that system */
	SETUP_BACK,   /* a command for root, who wants it taken back */
	SETUP_SAY,    /* only a line for people */
};

struct setup_step {
	enum setup_kind kind;
	bool optional;     /* when it fails that is said, and the rest is done */
	char *text;        /* the path of a file, the line to say */
	char *content;     /* of a file */
	struct list words; /* of a command */
};

struct setup_steps {
	struct setup_step *items;
	size_t count;
};

/* Add a step. @text: owned from here on. Returns it, borrowed until the next is added. */
struct setup_step *setup_steps_add(struct setup_steps *steps, enum setup_kind kind, char *text);

/* Add a command: SETUP_RUN, SETUP_LATER or SETUP_BACK. @words: ended by NULL; more can be added to
 * the step's.
 */
struct setup_step *setup_steps_command(struct setup_steps *steps, enum setup_kind kind,
				       const char *const *words);
void setup_steps_fini(struct setup_steps *steps);

/*
 * setup_steps_carry_out - `act` on each step in order. Returns 0; -1: *e, and the rest is not done.
 */
typedef int (*setup_act)(const struct setup_step *step, void *context, struct err *e);
int setup_steps_carry_out(const struct setup_steps *steps, setup_act act, void *context,
			  struct err *e);

/* The steps for people, a line each and the contents of files below. */
void setup_steps_print(const struct setup_steps *steps, struct buf *out);

#define auto_setup_steps __attribute__((cleanup(setup_steps_fini)))

#endif
