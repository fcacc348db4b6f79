/*
 * interactive - a conversation at a terminal: one task after the other, with history and the
 * variables of the ones before.
 *
 * Ctrl-C stops what is going on; a second one, or Ctrl-D, ends the conversation.
 *
 * Touches the OS: reads the terminal, keeps a history file.
 */
#ifndef GLOVEBOX_AGENT_INTERACTIVE_H
#define GLOVEBOX_AGENT_INTERACTIVE_H

#include "agent/loop.h"
#include "base/err.h"

/* Until its end, whatever became of its tasks. -1: the terminal cannot be used. */
int interactive_run(struct loop *l, struct err *e);

#endif
