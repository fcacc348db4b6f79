/*
 * begins - does a text begin with a word, in any case of letters?
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_BEGINS_H
#define GLOVEBOX_AGENT_BEGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* @left  bytes at p; what follows them is not read. */
static inline bool begins(const char *p, size_t left, const char *word)
{
	size_t n = strlen(word);

	return left >= n && !strncasecmp(p, word, n);
}

#endif
