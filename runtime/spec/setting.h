/*
 * setting - one row per flag: everything about it in one place.
 *
 * The parser, `glovebox help run`, the man page and the shell completion are
 * all made from the same rows.
 *
 * No side effects, but for the files that a flag's value names.
 */
#ifndef GLOVEBOX_SPEC_SETTING_H
#define GLOVEBOX_SPEC_SETTING_H

#include "base/err.h"
#include "spec/spec.h"

enum setting_group {
	GROUP_PROGRAM,
	GROUP_FILES,
	GROUP_LIMITS,
	GROUP_CONFINEMENT,
	GROUP_RESULT,
	GROUP_DOCKER, /* accepted so that docker run lines work; describes nothing of ours */
	GROUP_REFUSED,
	GROUP_ALIAS,
	GROUP_COUNT,
};

struct setting {
	const char *name; /* long form without dashes */
	char letter;      /* short form, or 0 */
	const char *arg;  /* what the value is called; NULL: a boolean flag */
	enum setting_group group;
	const char *fallback; /* the default, for people; NULL: none */
	const char *help;     /* one line; for GROUP_REFUSED the reason and remedy */
	int (*apply)(struct sandbox_spec *s, const char *value, struct err *e);
};

extern const struct setting run_settings[]; /* ends with a null name */
extern const char *const setting_group_titles[GROUP_COUNT];

/*
 * setting_parse - read flags the way docker (pflag) does.
 *
 * `--x=v`, `--x v`, `-x v`, `-xv`, `-it`, `--bool=false`; stops at `--` or at
 * the first word that is no flag. *used is the number of words consumed.
 * Errors: ERR_INPUT naming the flag; nothing is undone.
 */
int setting_parse(const struct setting *table, int argc, char *const *argv, int *used,
		  struct sandbox_spec *s, struct err *e);

#endif
