/*
 * candidates - what may complete a name that a person types: one on each line.
 *
 * Runs: faces with a prompt. Needs: nothing.
 */
#ifndef GLOVEBOX_PROMPT_CANDIDATES_H
#define GLOVEBOX_PROMPT_CANDIDATES_H

#include <stddef.h>

/* The bytes before the cursor that belong to a name with dots. Owned by the caller. */
char *candidates_name(const char *line, const char *cursor);

/* How many bytes all of them begin with; whole characters. */
size_t candidates_common(const char *lines);

/* Print them on stderr, beside each other. */
void candidates_list(const char *lines);

#endif
