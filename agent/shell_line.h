/*
 * shell_line - one line of shell, run in the sandbox of the conversation.
 *
 * Runs: the agent, between tasks. The line is the user's; what it prints is hostile.
 */
#ifndef GLOVEBOX_AGENT_SHELL_LINE_H
#define GLOVEBOX_AGENT_SHELL_LINE_H

#include "agent/loop.h"

/* Run it to its end, within --timeout; what came of it goes to the sinks. */
void shell_line_run(struct agent_loop *l, const char *line);

#endif
