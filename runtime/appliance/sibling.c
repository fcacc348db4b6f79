/*
 * sibling - the programs that are part of the one file, and those that are not.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

/* main() of rootfs/main.c and of runtime/mcp/main.c, which the Makefile renames. */
int image_main(int argc, char **argv);
int mcp_main(int argc, char **argv);

const bool is_one_file = true;

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} parts[] = {
	{"glovebox-image", image_main},
	{"glovebox-mcp",   mcp_main  },
};

int exec_sibling(const char *program, int argc, char **argv)
{
	struct err e;

	argv[0] = (char *)program;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(program, parts[i].name)) /* it says itself what it could not write */
			exit(parts[i].main(argc, argv));
	err_set(&e, ERR_UNSUPPORTED,
		"%s is not in this one file, because it needs libraries for a network or a "
		"terminal: install its package (docs/install.md)",
		program);
	return fail_with(&e);
}
