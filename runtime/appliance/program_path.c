/*
 * program_path - the one file is all programs, whatever name it was given.
 */
#include "client/program_path.h"

#include <unistd.h>

int program_path(char out[PROGRAM_PATH_SIZE])
{
	const ssize_t n = readlink("/proc/self/exe", out, PROGRAM_PATH_SIZE - 1);

	if (n < 0)
		return -1;
	out[n] = '\0';
	return 0;
}

int program_path_of(const char *name, char out[PROGRAM_PATH_SIZE])
{
	(void)name;
	out[0] = '\0';
	return -1;
}
