/*
 * shell_line - run one line of shell in the conversation's sandbox.
 *
 * Runs: the agent, between tasks. The line is the user's; its output is hostile.
 */
#ifndef GLOVEBOX_AGENT_SHELL_LINE_H
#define GLOVEBOX_AGENT_SHELL_LINE_H

#include "agent/loop.h"

/* Run a line to its end, within --timeout; its output goes to the sinks. */
void shell_line_run(struct agent_loop *l, const char *line);

#endif
