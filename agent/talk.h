/*
 * talk - a conversation of a person: what is kept beside the loop to choose another model, and to
 * return to before the last task.
 */
#ifndef GLOVEBOX_AGENT_TALK_H
#define GLOVEBOX_AGENT_TALK_H

#include "agent/loop.h"
#include "agent/run/undo.h"

struct talk {
	struct agent_loop *loop;    /* borrowed */
	char *model;                /* owned: chosen by talk_change_model(); NULL */
	struct conversation before; /* owned: as it was before the last task */
	size_t cells;               /* how many there were then */
	bool marked;
	enum undo variables; /* as they were then */
};

/* A task begins: talk_undo() returns to here. */
void talk_mark(struct talk *t);

/*
 * talk_undo - forget the last task. Files in /output stay.
 *
 * @force  also if that ends threads that nobody makes anew.
 * Errors: there is none to forget; ERR_EXISTS: there are such threads, and nothing is forgotten;
 * ERR_GONE: its words are forgotten, and all variables.
 */
int talk_undo(struct talk *t, bool force, struct err *e);

/* Forget everything. */
void talk_forget(struct talk *t);

/*
 * talk_change_model - go on with another model, which the server begins to load.
 * Errors: the server does not have it, and the text lists those it has; the old one stays.
 */
int talk_change_model(struct talk *t, const char *name, struct err *e);

/* Put another conversation in the place of this one, with no variables. Both are emptied here. */
void talk_replace(struct talk *t, struct conversation *c, struct cells *cells);

void talk_fini(struct talk *t);

#endif
