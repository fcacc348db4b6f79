/*
 * python_guess - guess whether a text without a language is Python.
 *
 * For blocks without a language and replies without fences. Says yes only if running the text is
 * more useful than reading it.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_PYTHON_GUESS_H
#define GLOVEBOX_AGENT_PYTHON_GUESS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a line (without newline) is a statement, a comment or a prompt. */
bool python_guess_line(const char *line, size_t length);

/* Whether a fenced block's first line of code is a statement. */
bool python_guess_block(const char *text, size_t length);

/* Whether every line of a reply looks like Python, and one of them has an effect. */
bool python_guess_reply(const char *text, size_t length);

#endif
