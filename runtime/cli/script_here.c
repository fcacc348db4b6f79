/*
 * script_here - recognise a program of the host typed in place of another word.
 */
#include "cli/script_here.h"

#include <string.h>
#include <sys/stat.h>

#include "base/own.h"
#include "cli/command.h"

bool script_is_here(const char *word)
{
	const char *suffix = strrchr(word, '.');
	struct stat st;

	return suffix && (!strcmp(suffix, ".py") || !strcmp(suffix, ".pyz")) && !stat(word, &st) &&
	       S_ISREG(st.st_mode);
}

char *script_command(const char *word, const char *image)
{
	auto_free char *program = own_printf("%s/__main__.py", word);

	if (script_is_here(word))
		return own_printf("%s run --code %.200s %s", our_name(), word, image);
	if (script_is_here(program))
		return own_printf("%s run --workspace %.200s %s python3 /data", our_name(), word,
				  image);
	return NULL;
}
