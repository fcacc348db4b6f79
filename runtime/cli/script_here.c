/*
 * script_here - recognise a host script typed in place of another word.
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
