/*
 * command - what begins with a slash or an exclamation mark at the prompt of a conversation.
 *
 * One table: a row's name, its argument, its help and its function.
 *
 * Touches the OS: prints to stderr; what each command does.
 */
#ifndef GLOVEBOX_AGENT_COMMAND_H
#define GLOVEBOX_AGENT_COMMAND_H

#include "agent/talk.h"

enum turn { TURN_ON, TURN_END, TURN_INTERRUPTED };

/* Whether a text is no task. "/data/a.csv has what?" is one. */
bool command_is(const char *text);

/* Do what it says; one that does not exist is refused with the list. */
enum turn command_run(struct talk *t, const char *text);

#endif
