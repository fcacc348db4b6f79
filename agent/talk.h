/*
 * talk - a person's conversation: the loop, and the state to change models and to undo a task.
 */
#ifndef GLOVEBOX_AGENT_TALK_H
#define GLOVEBOX_AGENT_TALK_H

#include "agent/loop.h"
#include "agent/run/undo.h"

struct talk {
	struct agent_loop *loop;    /* borrowed */
	char *model;                /* owned: set by talk_change_model(); NULL */
	struct conversation before; /* owned: the conversation before the last task */
	size_t cells;               /* number of cells then */
	bool marked;
	enum undo variables; /* variables then */
};

/* Call at the start of a task: talk_undo() returns to here. */
void talk_mark(struct talk *t);

/*
 * talk_undo - undo the last task. Files in /output stay.
 *
 * @force  also if that ends threads for good.
 * Errors: nothing to undo; ERR_EXISTS: there are such threads, and nothing was undone;
 * ERR_GONE: the messages are undone, but all variables are lost.
 */
int talk_undo(struct talk *t, bool force, struct err *e);

/* Drop conversation and variables. */
void talk_forget(struct talk *t);

/*
 * talk_change_model - switch to another model, which the server begins to load.
 * Errors: the server lacks it, and the text lists its models; the old model stays.
 */
int talk_change_model(struct talk *t, const char *name, struct err *e);

/* Replace the conversation by another one, without variables. Both arguments are emptied. */
void talk_replace(struct talk *t, struct conversation *c, struct cells *cells);

void talk_fini(struct talk *t);

#endif
