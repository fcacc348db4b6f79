/*
 * setting_words - settings on a command line, the way docker (pflag) reads it.
 *
 * `--x=v`, `--x v`, `-x v`, `-xv`, `-x=v`, `--flag=false`; `--` ends the flags. Without any bit of
 * the grammar they end at the first word that is none.
 *
 * No side effects, but for the files that a value may name.
 */
#ifndef GLOVEBOX_SPEC_SETTING_WORDS_H
#define GLOVEBOX_SPEC_SETTING_WORDS_H

#include "spec/setting.h"

enum setting_grammar {
	WORDS_BUNDLED = 1 << 0,  /* letters stand together: -it */
	WORDS_ANYWHERE = 1 << 1, /* flags stand behind operands, too */
	WORDS_NEGATED = 1 << 2,  /* --no-x */
};

/*
 * setting_words - set what the words say.
 *
 * @used  out: the operands are argv[*used] and what follows; with WORDS_ANYWHERE they are moved
 *        there, on ERR_UNSUPPORTED, too. On another error: the word that is wrong.
 * Errors: ERR_INPUT naming the flag, ERR_USAGE if there is no such flag and no hint; what is
 * refused (ERR_UNSUPPORTED) does not end the flags, and all of it is named in one line. Nothing is
 * undone.
 */
int setting_words(const struct settings *s, int argc, char **argv, int *used, struct err *e);

/* The error for a word that is no flag. Returns -1. */
int setting_words_unknown(const struct settings *s, const char *word, struct err *e);

#endif
