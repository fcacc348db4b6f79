/*
 * words - the words of a command: its flags at any place, and names.
 */
#include "cli/words.h"

#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "cli/command.h"
#include "flags/setting_words.h"

/* NAME and what follows it in the synopsis of a command. */
static const char *words_synopsis(const char *name)
{
	const struct command *c = commands;

	while (c->name && strcmp(c->name, name) != 0)
		c++;
	return c->name ? c->synopsis : name;
}

static int words_refuse(char *const *argv, const char *extra, int least, int most, struct err *e)
{
	const char *name = argv[0];

	if (extra && !most)
		return err_input(e, "%s takes no name: %.100s", name, extra);
	if (most == 2)
		return err_input(e, "%s: %s words are needed: %s %s", name,
				 least == 2 ? "two" : "one or two", our_name(),
				 words_synopsis(name));
	return err_input(e, "%s: %s name is needed: %s %s [FLAGS] NAME%s", name,
			 most == 1 ? "one" : "a", our_name(), name, most == 1 ? "" : "...");
}

int words_read(int argc, char **argv, const struct setting *rows, void *flags, int least, int most,
	       struct err *e)
{
	static const struct setting none[] = {SETTING_END};
	const struct settings settings = {.face = FACE_RUN,
					  .grammar = WORDS_ANYWHERE | WORDS_BUNDLED,
					  .tables = {{rows ? rows : none, flags, NULL}},
					  .hint = ""};
	int used;
	int names;

	if (setting_words(&settings, argc - 1, argv + 1, &used, e))
		return err_prefix(e, "%s", argv[0]);
	names = argc - 1 - used;
	if (names < least || (most != WORDS_ANY && names > most))
		return words_refuse(argv, names ? argv[used + 1] : NULL, least, most, e);
	return used + 1;
}

int words_each(int argc, char *const *argv, int at,
	       int (*one)(void *context, const char *word, struct err *e), void *context)
{
	struct err e;
	int status = 0;

	for (; at < argc; at++) {
		int n = one(context, argv[at], &e);

		if (n < 0)
			status = fail_as_daemon(&e);
		else if (n == 0)
			say_line(stdout, argv[at]), putchar('\n');
		(void)fflush(stdout);
	}
	return status;
}
