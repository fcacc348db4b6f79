/*
 * cells - a conversation as a notebook has it: tasks, code that ran with what it printed, answers.
 *
 * A sink of events. What was said and ran stays here when the conversation for the model is
 * trimmed.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_CELLS_H
#define GLOVEBOX_AGENT_CELLS_H

#include "agent/data/event.h"
#include "base/json.h"

enum cell_kind { CELL_TASK, CELL_CODE, CELL_ANSWER };

struct cell {
	enum cell_kind kind;
	char *text;
	char *output; /* CELL_CODE: made harmless; NULL */
	bool is_well; /* CELL_CODE: it ran to its end */
	bool is_lost; /* CELL_CODE: the variables were lost with it */
};

struct cells {
	struct event_sink sink; /* first: a sink is this */
	struct cell *items;     /* owned */
	size_t count;
	size_t dropped;  /* before them */
	bool is_running; /* the last one */
};

void cells_init(struct cells *c);
void cells_fini(struct cells *c);

/* Where the next one will be, and forget those from there on. */
size_t cells_end(const struct cells *c);
void cells_cut(struct cells *c, size_t end);

/*
 * cells_next_run - the next cell behind @at that made variables which are still there; start with
 * SIZE_MAX. Returns SIZE_MAX behind the last.
 */
size_t cells_next_run(const struct cells *c, size_t at);

/* A member "cells" of an object, and the cells of such a member. What is malformed is left out. */
void cells_put(const struct cells *c, struct buf *out);
void cells_take(struct cells *c, const struct json *list);

/* A notebook (nbformat 4.4), whose metadata have @mark. */
void cells_put_notebook(const struct cells *c, const char *mark, struct buf *out);

#endif
