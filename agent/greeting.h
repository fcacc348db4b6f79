/*
 * greeting - what a person is told before the first task: the model, and which directories it sees.
 *
 * Touches the OS: counts the entries of the workspace.
 */
#ifndef GLOVEBOX_AGENT_GREETING_H
#define GLOVEBOX_AGENT_GREETING_H

#include "agent/loop.h"

/* The first line of a conversation, without its newline; safe for a terminal. */
void greeting_write(const struct agent_loop *l, struct buf *out);

/* Before a single task: on stderr why /data is empty, unless a program reads (--json). */
void greeting_warn(const struct agent_loop *l);

#endif
