/*
 * interactive - a conversation at a terminal: a series of tasks that share history and variables.
 *
 * Ctrl-C stops the current task, and clears a line being typed. Twice on an empty line, or twice
 * while a task runs, it ends the conversation, as Ctrl-D does.
 *
 * Touches the OS: reads the terminal, keeps a history file.
 */
#ifndef GLOVEBOX_AGENT_INTERACTIVE_H
#define GLOVEBOX_AGENT_INTERACTIVE_H

#include "agent/loop.h"
#include "base/err.h"

/*
 * Run until the end of the conversation, whatever its tasks return. -1: the terminal is unusable.
 */
int interactive_run(struct agent_loop *l, struct err *e);

#endif
