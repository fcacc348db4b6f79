/*
 * setting_complete - complete the last word of a command line.
 *
 * No side effects; appends to what it is given.
 */
#ifndef GLOVEBOX_FLAGS_SETTING_COMPLETE_H
#define GLOVEBOX_FLAGS_SETTING_COMPLETE_H

#include "base/buf.h"
#include "spec/setting.h"

/* The kind of the last word. */
struct setting_place {
	const struct setting *value_of; /* the row whose value it is; NULL: not a value */
	int operand;                    /* index of the operand, from 0; -1: not an operand */
};

/*
 * setting_complete - append a line for each flag or value that may be the last word.
 *
 * @words  what follows the command; the last one may be empty or incomplete.
 * @out    not filtered by the beginning of the word; the caller adds values that rows do not list.
 */
struct setting_place setting_complete(const struct settings *s, int count, char **words,
				      struct buf *out);

#endif
