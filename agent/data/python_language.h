/*
 * python_language - does the word after a fence mean Python?
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_PYTHON_LANGUAGE_H
#define GLOVEBOX_AGENT_PYTHON_LANGUAGE_H

#include <stddef.h>

/*
 * Reads the first word of an info string: "python title=x", "{.python}", "Python3.11:main.py".
 * Returns where the word ends if it is a name of Python; else 0.
 */
size_t python_language(const char *info, size_t length);

#endif
