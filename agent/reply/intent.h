/*
 * intent - guess from words whether work is announced, or code is wanted.
 *
 * The guesses use lists of words: callers must tolerate wrong ones.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_INTENT_H
#define GLOVEBOX_AGENT_INTENT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * intent_is_announced - does a text announce work of its author: "I will now load the file", "Let
 * me check", or a colon at the end?
 *
 * @anywhere  look at every sentence; else only at the last one.
 */
bool intent_is_announced(const char *text, bool anywhere);

/* Whether a task wants code, as "write me a function that ..." does. */
bool intent_asks_for_code(const char *task);

#endif
