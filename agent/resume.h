/*
 * resume - the last conversation, kept beside the history, and taken up again: --continue.
 *
 * Touches the OS: $XDG_STATE_HOME/glovebox/agent-conversation.json, or below ~/.local/state.
 */
#ifndef GLOVEBOX_AGENT_RESUME_H
#define GLOVEBOX_AGENT_RESUME_H

#include "agent/loop.h"

struct kept {
	struct conversation conversation;
	struct cells cells; /* cells_init() comes before anything else */
};

void kept_fini(struct kept *k);

/* With --continue, load it. Errors: ERR_NOT_FOUND: there was none; ERR_INPUT: flags that conflict.
 */
int resume_load(const struct agent_options *o, struct kept *out, struct err *e);

/* The loop goes on with it, and runs its code again, with --rerun. @k  stays until the loop ends.
 */
void resume_take(struct agent_loop *l, struct kept *k);

/* Keep the loop's. A directory that cannot be written to is not an error. */
void resume_save(const struct agent_loop *l);

/* The same after a single task: if it goes on with the kept one, or a person follows it at a
 * terminal and a reply has come. The task of a script does not take the place of a person's
 * conversation. */
void resume_save_task(const struct agent_loop *l);

/* Numbers of a conversation that was loaded are not from nowhere. */
void resume_learn(struct agent_loop *l);

/*
 * resume_rerun - run the code of the conversation again, for its variables; the model is not told.
 * With --approve, a person is asked about each piece, and ends it with a no.
 * Says on stderr how many cells ran. Stops at the first that fails now, which goes to the sinks.
 */
void resume_rerun(struct agent_loop *l);

#endif
