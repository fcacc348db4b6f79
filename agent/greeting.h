/*
 * greeting - tell a person, before the first task, the model and the directories that it sees.
 *
 * Touches the OS: counts the entries of the workspace.
 */
#ifndef GLOVEBOX_AGENT_GREETING_H
#define GLOVEBOX_AGENT_GREETING_H

#include "agent/loop.h"

/* Append the first line of a conversation, without newline; safe for a terminal. */
void greeting_write(const struct agent_loop *l, struct buf *out);

/* Before a single task: explain on stderr why /data is empty, but not with --json. */
void greeting_warn(const struct agent_loop *l);

#endif
