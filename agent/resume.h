/*
 * resume - save the last conversation beside the history, and continue it: --continue.
 *
 * Touches the OS: $XDG_STATE_HOME/glovebox/agent-conversation.json, or below ~/.local/state.
 */
#ifndef GLOVEBOX_AGENT_RESUME_H
#define GLOVEBOX_AGENT_RESUME_H

#include "agent/loop.h"

struct kept {
	struct conversation conversation;
	struct cells cells; /* call cells_init() before anything else */
};

void kept_fini(struct kept *k);

/* With --continue, load it. Errors: ERR_NOT_FOUND: none was saved; ERR_INPUT: conflicting flags. */
int resume_load(const struct agent_options *o, struct kept *out, struct err *e);

/*
 * Continue the conversation in the loop; with --rerun, run its code again. @k  must outlive the
 * loop.
 */
void resume_take(struct agent_loop *l, struct kept *k);

/* Save the loop's conversation. An unwritable directory is not an error. */
void resume_save(const struct agent_loop *l);

/*
 * resume_save_task - save the conversation after a single task: if it continues the saved one, or
 * if a person follows it at a terminal and a reply has arrived. A script's task does not replace a
 * person's conversation.
 */
void resume_save_task(const struct agent_loop *l);

/* Add the numbers of a loaded conversation to the known ones. */
void resume_learn(struct agent_loop *l);

/*
 * resume_rerun - run the code of the conversation again, for its variables; the model is not told.
 * With --approve a person approves each piece, and ends it with a no. Prints to stderr how many
 * cells ran. Stops at the first that fails, which goes to the sinks.
 */
void resume_rerun(struct agent_loop *l);

#endif
