/*
 * cells - a conversation as a notebook: tasks, code with its output, answers.
 *
 * A sink of events. Cells stay when the conversation for the model is trimmed.
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
	char *output; /* CELL_CODE: escaped; NULL */
	bool is_well; /* CELL_CODE: it succeeded */
	bool is_lost; /* CELL_CODE: it lost the variables */
};

struct cells {
	struct event_sink sink; /* first: a sink is this */
	struct cell *items;     /* owned */
	size_t count;
	size_t dropped;  /* count of dropped cells */
	bool is_running; /* the last cell is running */
};

void cells_init(struct cells *c);
void cells_fini(struct cells *c);

/* Return the index of the next cell, and drop the cells from there on. */
size_t cells_end(const struct cells *c);
void cells_cut(struct cells *c, size_t end);

/*
 * cells_next_run - find the next cell behind @at whose variables still exist; start with SIZE_MAX.
 * Returns SIZE_MAX at the end.
 */
size_t cells_next_run(const struct cells *c, size_t at);

/* Write the member "cells" of an object; read such a member, skipping malformed cells. */
void cells_put(const struct cells *c, struct buf *out);
void cells_take(struct cells *c, const struct json *list);

/* Write a notebook (nbformat 4.4) with @mark in its metadata. */
void cells_put_notebook(const struct cells *c, const char *mark, struct buf *out);

#endif
