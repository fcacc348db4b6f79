/*
 * command - commands at the prompt of a conversation, which begin with a slash or "!".
 *
 * One table: a row's name, its argument, its help and its function.
 *
 * Touches the OS: prints to stderr; commands have effects of their own.
 */
#ifndef GLOVEBOX_AGENT_COMMAND_H
#define GLOVEBOX_AGENT_COMMAND_H

#include "agent/talk.h"

enum turn { TURN_ON, TURN_END, TURN_INTERRUPTED };

/* Whether a text is a command. "/data/a.csv has what?" is a task. */
bool command_is(const char *text);

/* Run a command; an unknown one is refused with the list. */
enum turn command_run(struct talk *t, const char *text);

#endif
