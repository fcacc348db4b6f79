/*
 * program_path - find `glovebox` in the directory of our own program.
 */
#include "client/program_path.h"

#include <stdio.h>

#include "fs/self_path.h"

int program_path(char out[PROGRAM_PATH_SIZE])
{
	return program_path_of("glovebox", out);
}

int program_path_of(const char *name, char out[PROGRAM_PATH_SIZE])
{
	char self[PATH_MAX];
	struct err ignored;

	if (self_directory(self, &ignored))
		return -1;
	snprintf(out, PROGRAM_PATH_SIZE, "%s/%s", self, name);
	return 0;
}
