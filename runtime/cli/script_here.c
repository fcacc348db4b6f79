/*
 * script_here - recognise a program of the host typed in place of another word.
 */
#include "cli/script_here.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "cli/command.h"
#include "image/image.h"

static bool script_here_is_named(const char *word)
{
	const char *suffix = strrchr(word, '.');

	return suffix && (!strcmp(suffix, ".py") || !strcmp(suffix, ".pyz"));
}

bool script_is_here(const char *word)
{
	struct stat st;

	return script_here_is_named(word) && !stat(word, &st) && S_ISREG(st.st_mode);
}

int script_missing(const char *word, struct err *e)
{
	bool is_here = !access(word, F_OK);

	if (!is_here && script_here_is_named(word))
		return err_set(e, ERR_NOT_FOUND, "%.100s: no such file here, and no such image",
			       word);
	if (is_here && strchr(word, '/'))
		return err_input(e,
				 "%.100s is here, but neither a program of Python nor a directory "
				 "with a __main__.py, and no image has that name",
				 word);
	return 0;
}

/* The image that a command of ours names: "host" needs no build. */
static const char *script_here_image(void)
{
	return image_exists("python:latest") ? "python" : "host";
}

char *script_command(const char *word, const char *image)
{
	auto_free char *program = own_printf("%s/__main__.py", word);

	if (!image)
		image = script_here_image();
	if (script_is_here(word))
		return own_printf("%s run --code %.200s %s", our_name(), word, image);
	if (script_is_here(program))
		return own_printf("%s run --workspace %.200s %s python3 /data", our_name(), word,
				  image);
	return NULL;
}
