/*
 * setting - read flags the way docker (pflag) does.
 */
#include "spec/setting.h"

#include <string.h>

static const struct setting *by_name(const struct setting *table, const char *name, size_t length)
{
	for (const struct setting *row = table; row->name; row++) {
		if (strlen(row->name) == length && !strncmp(row->name, name, length))
			return row;
	}
	return NULL;
}

static const struct setting *by_letter(const struct setting *table, char letter)
{
	for (const struct setting *row = table; row->name; row++) {
		if (row->letter == letter)
			return row;
	}
	return NULL;
}

static int apply(const struct setting *row, const char *value, struct sandbox_spec *s,
		 struct err *e)
{
	if (row->group == GROUP_REFUSED && (row->arg || strcmp(value, "false")))
		return err_set(e, ERR_UNSUPPORTED, "--%s is not supported: %s", row->name,
			       row->help);
	if (!row->apply || !row->apply(s, value, e))
		return 0;
	return err_prefix(e, "--%s", row->name);
}

static int parse_long(const struct setting *table, int argc, char *const *argv, int *at,
		      struct sandbox_spec *s, struct err *e)
{
	const char *word = argv[*at] + 2;
	const char *value = strchr(word, '=');
	size_t length = value ? (size_t)(value - word) : strlen(word);
	const struct setting *row = by_name(table, word, length);

	if (!row)
		return err_input(e, "unknown flag: --%.*s", (int)(length < 100 ? length : 100),
				 word);
	if (value)
		return apply(row, value + 1, s, e);
	if (!row->arg)
		return apply(row, "true", s, e);
	if (*at + 1 >= argc)
		return err_input(e, "flag needs an argument: --%s", row->name);
	return apply(row, argv[++*at], s, e);
}

/* "-it", "-m512m", "-m 512m", "-m=512m": letters until one takes the rest as its value. */
static int parse_short(const struct setting *table, int argc, char *const *argv, int *at,
		       struct sandbox_spec *s, struct err *e)
{
	for (const char *p = argv[*at] + 1; *p; p++) {
		const struct setting *row = by_letter(table, *p);

		if (!row)
			return err_input(e, "unknown shorthand flag: '%c' in -%.50s", *p,
					 argv[*at] + 1);
		if (!row->arg && p[1] != '=') {
			if (apply(row, "true", s, e))
				return -1;
			continue;
		}
		if (p[1] == '=')
			return apply(row, p + 2, s, e);
		if (p[1])
			return apply(row, p + 1, s, e);
		if (*at + 1 >= argc)
			return err_input(e, "flag needs an argument: '%c' in -%.50s", *p,
					 argv[*at] + 1);
		return apply(row, argv[++*at], s, e);
	}
	return 0;
}

int setting_parse(const struct setting *table, int argc, char *const *argv, int *used,
		  struct sandbox_spec *s, struct err *e)
{
	int at;

	for (at = 0; at < argc; at++) {
		if (!strcmp(argv[at], "--")) {
			at++;
			break;
		}
		if (argv[at][0] != '-' || !argv[at][1])
			break;
		if (argv[at][1] == '-' ? parse_long(table, argc, argv, &at, s, e)
				       : parse_short(table, argc, argv, &at, s, e))
			return -1;
	}
	*used = at;
	return 0;
}
