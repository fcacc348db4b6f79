/*
 * numbers - which numbers of an answer come from nowhere.
 *
 * Theory of operation. Whatever a model was given (the task, outputs, names of files) leaves its
 * numbers here. A number of the answer is known if one of them is equal to it as far as it is
 * written out: rounded or cut off at its last digit, without its sign, with other separators, or
 * in the unit behind it (%, thousand, MB). Not looked at are digits that belong to a word or stand
 * in code, dates, numbers of lists, and single digits, which count things that nobody printed.
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

#define NUMBERS_MAX 50000 /* are remembered; from then on every number counts as known */

/* Remember the numbers of a text. */
void numbers_add(struct numbers *n, const char *text, size_t length);
void numbers_fini(struct numbers *n);

struct unknown_numbers {
	char **items; /* as the answer spells them, each once */
	size_t count;
};

#define UNKNOWN_NUMBERS_MAX 20 /* more are not named */

/* Append those of an answer that are not known to *out: unknown_numbers_fini(). */
void numbers_find_unknown(const struct numbers *n, const char *answer, struct unknown_numbers *out);
void unknown_numbers_fini(struct unknown_numbers *u);

#endif
