/*
 * candidates - complete a name that a person types; candidates are one per line.
 *
 * Runs: faces with a prompt. Needs: nothing.
 */
#ifndef GLOVEBOX_PROMPT_CANDIDATES_H
#define GLOVEBOX_PROMPT_CANDIDATES_H

#include <stddef.h>

/* The bytes before the cursor that belong to a name with dots. Owned by the caller. */
char *candidates_name(const char *line, const char *cursor);

/* The length of the longest common beginning; whole characters. */
size_t candidates_common(const char *lines);

/* Print them on stderr, in columns. */
void candidates_list(const char *lines);

#endif
