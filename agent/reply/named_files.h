/*
 * named_files - find the files of /output that an answer names.
 *
 * A name ends at a blank, or, if a quote precedes it, at the closing quote. Names with wildcards or
 * braces are patterns, and blocks of code are examples: both are left out.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_NAMED_FILES_H
#define GLOVEBOX_AGENT_NAMED_FILES_H

#include "base/list.h"

#define NAMED_FILES_MAX 20 /* further ones are ignored */

/* Append their names, each once, relative to /output. */
void named_files_find(const char *answer, struct list *out);

#endif
