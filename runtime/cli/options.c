/*
 * options - flags of the small commands.
 */
#include "cli/options.h"

#include <string.h>

#include "base/buf.h"
#include "base/parse.h"
#include "spec/spec.h"

static const struct option *find_option(const struct option *options, const char *word,
					size_t length)
{
	for (const struct option *o = options; o->name; o++) {
		if (strlen(o->name) == length && !strncmp(o->name, word, length))
			return o;
	}
	return NULL;
}

/* One word, two with a value apart; 0 when it is none of ours. */
static int take_option(const struct option *options, void *out, int argc, char **argv,
		       struct err *e)
{
	const char *equals = strchr(argv[0], '=');
	size_t length = equals ? (size_t)(equals - argv[0]) : strlen(argv[0]);
	const struct option *o = find_option(options, argv[0], length);

	if (!o)
		return 0;
	if (!o->arg) {
		bool *flag = (void *)((char *)out + o->at);

		*flag = true;
		if (equals && parse_bool(equals + 1, flag, e))
			return err_prefix(e, "%s", o->name);
		return 1;
	}
	if (!equals && argc < 2)
		return err_input(e, "%s needs a value", o->name);
	*(const char **)(void *)((char *)out + o->at) = equals ? equals + 1 : argv[1];
	return equals ? 1 : 2;
}

int option_unknown(const struct option *options, const char *word, const char *command,
		   struct err *e)
{
	auto_buf struct buf names = {0};

	for (const struct option *o = options; o->name; o++)
		buf_printf(&names, "%s%s", names.length ? ", " : "", o->name);
	return err_input(e, "%.100s is no flag of %s: there are %s", word, command,
			 buf_string(&names));
}

int options_take(const struct option *options, void *out, int argc, char **argv, struct err *e)
{
	int at = 1;

	while (at < argc && !strncmp(argv[at], "--", 2) && argv[at][2]) {
		int n = take_option(options, out, argc - at, argv + at, e);

		if (n == 0)
			return option_unknown(options, argv[at], argv[0], e);
		if (n < 0)
			return -1;
		at += n;
	}
	return at;
}

int options_split(const struct option *options, void *out, int *argc, char **argv, struct err *e)
{
	int kept = 1;

	for (int at = 1; at < *argc;) {
		int n = take_option(options, out, *argc - at, argv + at, e);

		if (n < 0)
			return -1;
		if (n == 0)
			argv[kept++] = argv[at++];
		else
			at += n;
	}
	argv[kept] = NULL;
	*argc = kept;
	return 0;
}

int option_size(const char *text, const char *flag, uint64_t *out, struct err *e)
{
	if (text && parse_size(text, 0, SPEC_UNLIMITED / 2, out, e))
		return err_prefix(e, "%s", flag);
	return 0;
}

int option_duration(const char *text, const char *flag, uint64_t *out, struct err *e)
{
	if (!text)
		return 0;
	if (parse_duration(text, 1, SPEC_UNLIMITED / 2000, out, e))
		return err_prefix(e, "%s", flag);
	return 0;
}
