/*
 * nearest - find the known name nearest to a misspelt word.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_NEAREST_H
#define GLOVEBOX_BASE_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word; /* as typed; borrowed, need not be terminated */
	size_t length;
	const char *name;  /* the best so far, borrowed; NULL: none is near */
	unsigned distance; /* a better one must be below this */
};

/* Where word and name have up to five letters they may differ in one place, else in two. */
struct nearest nearest_to(const char *word, size_t length);

/* Offer a name. Of equally near ones the first wins. */
void nearest_try(struct nearest *n, const char *name);

#endif
