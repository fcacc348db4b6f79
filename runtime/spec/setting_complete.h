/*
 * setting_complete - what may stand at the end of a command line that is being typed.
 *
 * No side effects; appends to what it is given.
 */
#ifndef GLOVEBOX_SPEC_SETTING_COMPLETE_H
#define GLOVEBOX_SPEC_SETTING_COMPLETE_H

#include "base/buf.h"
#include "spec/setting.h"

/* What the last word is. */
struct setting_place {
	const struct setting *value_of; /* its value; NULL: it is none */
	int operand;                    /* the number of the operand, from 0; -1: it is none */
};

/*
 * setting_complete - a line for each flag or value that may be the last word.
 *
 * @words  what follows the command; of the last, perhaps empty, only the beginning is known.
 * @out    also gets what does not begin like it; values that rows do not list are the caller's.
 */
struct setting_place setting_complete(const struct settings *s, int count, char **words,
				      struct buf *out);

#endif
