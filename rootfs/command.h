/*
 * command - one sub-command of `glovebox image`, as main's table holds it.
 */
#ifndef GLOVEBOX_ROOTFS_COMMAND_H
#define GLOVEBOX_ROOTFS_COMMAND_H

#include <getopt.h>

#include "base/err.h"

struct command {
	const char *name;
	const char *usage;   /* what follows the name */
	const char *summary; /* one line */
	const char *help;    /* the options and what else is to know */
	/*
	 * argv[0] is the sub-command's name. Returns the exit status (0, or 1: verify found
	 * differences), or -1 with *e.
	 */
	int (*run)(int argc, char **argv, struct err *e);
};

extern const struct command command_build;
extern const struct command command_import;
extern const struct command command_ls;
extern const struct command command_rm;
extern const struct command command_tag;
extern const struct command command_verify;

/*
 * option_next - getopt_long with our errors. The table's `val`s are characters.
 * Returns the option's val, 0 at the end of the options, -1 on error.
 */
int option_next(int argc, char **argv, const struct option *table, struct err *e);

/* ERR_INPUT unless `count` is in min..max; the text shows the command's usage. */
int arguments_expect(const struct command *c, int count, int min, int max, struct err *e);

#endif
