/*
 * sibling - execute the programs in our directory. The one-file program has its own version
 * (runtime/appliance/sibling.c).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/command.h"
#include "fs/self_path.h"

const bool is_one_file = false;

int exec_sibling(const char *program, int argc, char **argv)
{
	char self[PATH_MAX];
	char path[PATH_MAX + 64];
	struct err e;

	(void)argc;
	if (self_directory(self, &e))
		return fail_with(&e);
	snprintf(path, sizeof(path), "%s/%s", self, program);
	argv[0] = invoked_as_docker() ? (char *)our_name() : path; /* for its exit status */
	execv(path, argv);
	if (errno == ENOENT)
		err_set(&e, ERR_UNSUPPORTED,
			"%s is not installed: its package has it (docs/install.md)", program);
	else
		err_sys(&e, "run %s", path);
	return fail_with(&e);
}
