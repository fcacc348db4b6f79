/*
 * named_files - the files of /output that an answer names.
 *
 * A name ends at a blank, or, if it begins behind a quote, where that is closed. Names with
 * wildcards or braces stand for others, and code in a block shows what could be done: both are left
 * out.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_NAMED_FILES_H
#define GLOVEBOX_AGENT_NAMED_FILES_H

#include "base/list.h"

#define NAMED_FILES_MAX 20 /* more are not looked for */

/* Append them, each once, relative to /output. */
void named_files_find(const char *answer, struct list *out);

#endif
