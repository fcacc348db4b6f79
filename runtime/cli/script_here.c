/*
 * script_here - a script of the host that was typed where another word belongs.
 */
#include "cli/script_here.h"

#include <string.h>
#include <sys/stat.h>

bool script_is_here(const char *word)
{
	const char *suffix = strrchr(word, '.');
	struct stat st;

	return suffix && (!strcmp(suffix, ".py") || !strcmp(suffix, ".pyz")) && !stat(word, &st) &&
	       S_ISREG(st.st_mode);
}
