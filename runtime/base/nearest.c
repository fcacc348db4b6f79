/*
 * nearest - find the known name nearest to a misspelt word.
 */
#include "base/nearest.h"

#include <stdbool.h>
#include <string.h>

#define LONGEST 32 /* longest name to compare: ours are shorter */
#define ANY     (LONGEST + 1)

struct nearest nearest_to(const char *word, size_t length)
{
	return (struct nearest){.word = word, .length = length, .distance = ANY};
}

static unsigned nearest_least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool nearest_is_swapped(const struct nearest *n, const char *name, size_t i, size_t j)
{
	return i > 0 && j > 0 && n->word[i] == name[j - 1] && n->word[i - 1] == name[j];
}

/* Number of letters to add, remove, replace, or swap with their neighbour. */
static unsigned nearest_distance(const struct nearest *n, const char *name, size_t length)
{
	unsigned rows[3][LONGEST + 1] = {{0}}; /* this row, and the two before */

	for (unsigned j = 0; j <= length; j++)
		rows[0][j] = j;
	for (size_t i = 0; i < n->length; i++) {
		const unsigned *before = rows[i % 3];
		unsigned *row = rows[(i + 1) % 3];

		row[0] = (unsigned)i + 1;
		for (size_t j = 0; j < length; j++) {
			row[j + 1] = nearest_least(before[j] + (n->word[i] != name[j]),
						   nearest_least(before[j + 1], row[j]) + 1);
			if (nearest_is_swapped(n, name, i, j))
				row[j + 1] =
					nearest_least(row[j + 1], rows[(i + 2) % 3][j - 1] + 1);
		}
	}
	return rows[n->length % 3][length];
}

/* One place in three, and at most two: of "shell" half is other letters than of "help". */
static unsigned nearest_allowed(size_t longer)
{
	return longer < 6 ? 1 : 2;
}

void nearest_try(struct nearest *n, const char *name)
{
	size_t length = strlen(name);
	unsigned distance;

	/* A name that would lose all its letters does not match. */
	if (length > LONGEST || n->length > LONGEST || length < 2 || n->length < 2)
		return;
	distance = nearest_distance(n, name, length);
	if (distance >= n->distance ||
	    distance > nearest_allowed(length > n->length ? length : n->length))
		return;
	n->distance = distance;
	n->name = name;
}
