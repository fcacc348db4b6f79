/*
 * numbers - find the numbers of an answer that the model was never shown.
 *
 * Theory of operation. All texts that a model was given (the task, outputs, names of files) are
 * searched for numbers. A number of the answer is known if it equals one of them as far as it is
 * written out: rounded or cut off at its last digit, without its sign, with other separators, or in
 * the unit behind it (%, thousand, MB). Ignored are digits within words or code, dates, numbers of
 * list items, and single digits, which count things that no output shows.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_NUMBERS_H
#define GLOVEBOX_AGENT_NUMBERS_H

#include <stddef.h>

struct numbers {
	double *values;
	size_t count;
};

#define NUMBERS_MAX 50000 /* remembered; beyond, every number counts as known */

/* Remember the numbers of a text. */
void numbers_add(struct numbers *n, const char *text, size_t length);
void numbers_fini(struct numbers *n);

struct unknown_numbers {
	char **items; /* as spelt in the answer, each once */
	size_t count;
};

#define UNKNOWN_NUMBERS_MAX 20 /* further ones are not named */

/* Append the unknown numbers of an answer to *out: unknown_numbers_fini(). */
void numbers_find_unknown(const struct numbers *n, const char *answer, struct unknown_numbers *out);
void unknown_numbers_fini(struct unknown_numbers *u);

#endif
