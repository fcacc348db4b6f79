/*
 * program_path - it lies beside us, whichever of our programs we are.
 */
#include "client/program_path.h"

#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

int program_path(char out[PROGRAM_PATH_SIZE])
{
	return program_path_of("glovebox", out);
}

int program_path_of(const char *name, char out[PROGRAM_PATH_SIZE])
{
	char self[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return -1;
	self[n] = '\0';
	snprintf(out, PROGRAM_PATH_SIZE, "%s/%s", dirname(self), name);
	return 0;
}
