/*
 * intent - what words say about work: that it is going to be done, or that code is wanted.
 *
 * Guesses, by lists of words: whoever asks must be able to bear a wrong one.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_INTENT_H
#define GLOVEBOX_AGENT_INTENT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * intent_is_announced - does a text say that its author is about to work: "I will now load the
 * file", "Let me check", or a colon after which nothing follows?
 *
 * @anywhere  any sentence may say so; else only the last one.
 */
bool intent_is_announced(const char *text, bool anywhere);

/* Does a task ask for code, as "write me a function that ..." does? */
bool intent_asks_for_code(const char *task);

#endif
