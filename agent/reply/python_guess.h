/*
 * python_guess - does a text without a language look like Python?
 *
 * For blocks without a language and replies without fences. It says yes only if running the text is
 * more useful than reading it.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_PYTHON_GUESS_H
#define GLOVEBOX_AGENT_PYTHON_GUESS_H

#include <stdbool.h>
#include <stddef.h>

/* One line, without its end: a statement, a comment or a prompt. */
bool python_guess_line(const char *line, size_t length);

/* The first line with code in it is a statement. For a fenced block. */
bool python_guess_block(const char *text, size_t length);

/* Every line looks like Python, and one of them does something. For a whole reply. */
bool python_guess_reply(const char *text, size_t length);

#endif
