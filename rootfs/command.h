/*
 * command - one sub-command of `glovebox image`, a row of main's table.
 */
#ifndef GLOVEBOX_ROOTFS_COMMAND_H
#define GLOVEBOX_ROOTFS_COMMAND_H

#include "base/err.h"
#include "spec/setting.h"

struct command {
	const char *name;
	const char *usage;              /* what follows the name */
	const char *summary;            /* one line */
	const char *help;               /* more help */
	const struct setting *settings; /* NULL: none */
	/*
	 * It also has the settings of the network: they go to a struct sandbox_spec, at `spec_at`
	 * in its target.
	 */
	bool network;
	size_t spec_at;
	size_t given_at; /* of SETTING_GIVEN words: which of its own were given; 0: not recorded */
	/*
	 * argv[0] is the sub-command's name. Returns the exit status (0, or 1: verify found
	 * differences), or -1 with *e.
	 */
	int (*run)(int argc, char **argv, struct err *e);
	bool images;  /* its operands are images */
	bool recipes; /* or its operands are recipes */
};

extern const struct command *const commands[]; /* ends with NULL */

extern const struct command command_build;
extern const struct command command_df;
extern const struct command command_import;
extern const struct command command_inspect;
extern const struct command command_load;
extern const struct command command_ls;
extern const struct command command_prune;
extern const struct command command_pull;
extern const struct command command_rm;
extern const struct command command_save;
extern const struct command command_share;
extern const struct command command_tag;
extern const struct command command_verify;

/* Whether docker's name was said: scripts read its words then. */
bool command_as_docker(void);

/*
 * arguments_read - set the defaults in `target`, then apply the words. Returns the index of the
 * operands in argv, up to argc; -1 with *e.
 */
int arguments_read(const struct command *c, int argc, char **argv, void *target, struct err *e);

/* ERR_INPUT unless `count` is in min..max; the text shows the command's usage. */
int arguments_expect(const struct command *c, int count, int min, int max, struct err *e);

#endif
