/*
 * program_path - the one file is all programs, whatever name it was given.
 */
#include "client/program_path.h"

#include "fs/self_path.h"

int program_path(char out[PROGRAM_PATH_SIZE])
{
	struct err ignored;

	return self_path(out, &ignored);
}

int program_path_of(const char *name, char out[PROGRAM_PATH_SIZE])
{
	(void)name;
	out[0] = '\0';
	return -1;
}
