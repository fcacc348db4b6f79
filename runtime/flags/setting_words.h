/*
 * setting_words - read settings from a command line, as docker (pflag) does.
 *
 * `--x=v`, `--x v`, `-x v`, `-xv`, `-x=v`, `--flag=false`; `--` ends the flags. Without any bit of
 * the grammar the first operand ends them, too.
 *
 * No side effects, but for the files that a value may name.
 */
#ifndef GLOVEBOX_FLAGS_SETTING_WORDS_H
#define GLOVEBOX_FLAGS_SETTING_WORDS_H

#include "spec/setting.h"

enum setting_grammar {
	WORDS_BUNDLED = 1 << 0,  /* short flags may be combined: -it */
	WORDS_ANYWHERE = 1 << 1, /* flags may follow operands */
	WORDS_NEGATED = 1 << 2,  /* --no-x turns a flag off */
};

/*
 * setting_words - apply the flags of a command line.
 *
 * @used  out: the operands are argv[*used] and the rest; WORDS_ANYWHERE moves them there, on
 *        ERR_UNSUPPORTED, too. On another error: the index of the invalid word.
 * Errors: ERR_INPUT naming the flag; ERR_USAGE for an unknown flag without a hint. A refused flag
 * (ERR_UNSUPPORTED) does not end the flags: one line names all of them. Fields set before an error
 * stay.
 */
int setting_words(const struct settings *s, int argc, char **argv, int *used, struct err *e);

/* The error for an unknown flag. Returns -1. */
int setting_words_unknown(const struct settings *s, const char *word, struct err *e);

#endif
