/*
 * thinking - where the thinking in a reply ends.
 *
 * Theory of operation. Models think between tags, and servers that do not know them leave them in
 * the reply: both, or only the closing one, because the opening one was in the prompt. So
 * everything up to the last closing tag is thinking, wherever it began; an opening tag after it
 * means that the reply ended in thinking.
 *
 * A tag in a string or a comment of a block of code is code, even in thinking: code that mentions
 * tags is no reason to run what was only a thought. In a closed block outside thinking, an opening
 * tag is text, and so is the closing one that belongs to it; a closing tag alone ends thinking
 * whose beginning was in the prompt.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_THINKING_H
#define GLOVEBOX_AGENT_THINKING_H

#include <stdbool.h>
#include <stddef.h>

/* Set *end to where the reply itself begins. False: it ends inside thinking. */
bool thinking_end(const char *text, size_t length, size_t *end);

/* Text about a tag of n bytes puts it in quotes. */
bool thinking_quoted(const char *text, size_t length, size_t i, size_t n);

#endif
