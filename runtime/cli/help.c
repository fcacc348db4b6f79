/*
 * help - print help texts from the parser's tables, and find a command's row.
 */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/privileges.h"
#include "cli/command.h"
#include "cli/docker_verbs.h"
#include "flags/setting_text.h"

static void help_print_commands(void)
{
	printf("glovebox - a sealed chamber for Python: runs code in a sandbox, without a "
	       "daemon\n\n"
	       "Usage: %s COMMAND [ARGUMENTS]\n\nCommands:\n",
	       our_name());
	for (const struct command *c = commands; c->name; c++)
		printf("  %-10s %s\n", c->name, c->help);
	if (invoked_as_docker())
		puts("\nAlso container run; load, import, inspect, rmi and tag, for images; every "
		     "other command of\ndocker's says what to use here.");
	printf("\n\"%s help run\" lists every flag. Try: %s run host python3 -c 'print(1)'\n",
	       our_name(), our_name());
}

/* Add flags by group, each with its title, if there are several groups. */
static void help_add_groups(const struct settings *settings, struct buf *out)
{
	static const struct setting_layout layout = {.indent = 2, .width = 34, .letters = true};

	for (int group = 0; group < GROUP_COUNT; group++) {
		auto_buf struct buf rows = {0};

		if (group == GROUP_REFUSED)
			setting_text_refused(settings, false, &rows);
		else
			setting_text_help_all(settings, (enum setting_group)group, &layout, &rows);
		if (rows.length)
			buf_printf(out, "\n%s:\n%s", setting_group_titles[group],
				   buf_string(&rows));
	}
}

static void help_add_rows(const struct command *rows, struct buf *out)
{
	static const struct setting_layout layout = {.indent = 6, .width = 28};

	for (const struct command *c = rows; c->name; c++) {
		buf_printf(out, "%s %s\n    %s\n", our_name(), c->synopsis, c->help);
		if (c > rows && c->settings == c[-1].settings)
			continue; /* aliases */
		for (const struct setting *row = c->settings; row && row->name; row++)
			setting_text_help(row, &layout, out);
	}
}

static int help_print_command(const struct command *c)
{
	static const struct setting_layout layout = {.indent = 2, .width = 28, .letters = true};
	auto_buf struct buf text = {0};

	buf_printf(&text, "Usage: %s %s\n\n%s\n", our_name(), c->synopsis, c->help);
	if (c->more)
		buf_printf(&text, "\n%s", c->more);
	if (c->rows) {
		buf_text(&text, "\n");
		help_add_rows(c->rows, &text);
	} else if (c->all) {
		const struct settings settings = c->all();

		help_add_groups(&settings, &text);
	} else if (c->settings) {
		buf_text(&text, "\n");
	}
	for (const struct setting *row = c->all ? NULL : c->settings; row && row->name; row++)
		setting_text_help(row, &layout, &text);
	buf_text(&text, c->end ? c->end : "");
	fputs(buf_string(&text), stdout);
	return 0;
}

static void help_add_names(const struct command *rows, struct buf *out)
{
	for (const struct command *c = rows; c->name; c++)
		buf_printf(out, "%s%s", c > rows ? ", " : "", c->name);
}

/* A family says which commands it has; all commands would be too many for a line. */
static void help_refuse(const struct command *rows, const char *of, const char *name, struct err *e)
{
	auto_buf struct buf names = {0};

	if (*of) {
		help_add_names(rows, &names);
		err_input(e, "\"%.100s\" is not a command of %s, which takes one of: %s", name, of,
			  buf_string(&names));
	} else if (*name == '-') {
		err_input(e,
			  "\"%.100s\" is not a command: flags stand behind one; \"%s help\" "
			  "lists them",
			  name, our_name());
	} else {
		err_input(e, "\"%.100s\" is not a command; \"%s help\" lists them", name,
			  our_name());
	}
}

const struct command *find_command(const struct command *rows, const char *of, const char *name,
				   struct err *e)
{
	struct nearest near = nearest_to(name, strlen(name));

	for (const struct command *c = rows; c->name; c++) {
		if (!strcmp(c->name, name))
			return c;
		nearest_try(&near, c->name);
	}
	if (near.name)
		err_input(e, "\"%.100s\" is not a command; did you mean \"%s\"?", name, near.name);
	else
		help_refuse(rows, of, name, e);
	return NULL;
}

/* Sibling programs print their own help. */
static int help_ask_sibling(const struct command *c, int argc, char **argv)
{
	char *words[] = {(char *)c->name, (char *)"--help", NULL, NULL};

	if (argc > 0) {
		words[1] = argv[0];
		words[2] = (char *)"--help";
	}
	return c->run(argc > 0 ? 3 : 2, words);
}

int command_help(int argc, char **argv)
{
	const struct command *rows = commands;
	const struct command *c = NULL;
	const char *of = "";
	struct err e;
	int i;

	for (i = 1; i < argc && rows; i++) {
		c = find_command(rows, of, argv[i], &e);
		if (!c) {
			int status = i == 1 ? docker_verb_help(argc - 1, argv + 1) : -1;

			return status < 0 ? fail_with(&e) : status;
		}
		if (c->own_help && !c->all)
			return help_ask_sibling(c, argc - i - 1, argv + i + 1);
		of = c->name;
		rows = c->rows;
	}
	if (i < argc) {
		err_input(&e, "%s has no commands of its own: \"%.100s\"", of, argv[i]);
		return fail_with(&e);
	}
	if (c)
		return help_print_command(c);
	help_print_commands();
	return 0;
}

static bool help_is_wanted(const struct command *c, int argc, char **argv)
{
	if (c->own_help || c->rows)
		return false;
	if (argc == 2 && !strcmp(argv[1], "-h"))
		return true;
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (!strcmp(argv[i], "--help"))
			return true;
		if (c->runs && argv[i][0] != '-')
			return false;
	}
	return false;
}

/*
 * Whether the row leaves --help to others: a family to the chosen row, and to a sibling program for
 * its own commands.
 */
static bool help_keeps_for_others(const struct command *c)
{
	return c->rows || (c->own_help && !c->all);
}

int run_command(const struct command *c, int argc, char **argv)
{
	struct err e;

	if (help_is_wanted(c, argc, argv))
		return help_print_command(c);
	if (!help_keeps_for_others(c) && privileges_keep(c->synopsis, "arguments", &e))
		return fail_with(&e);
	return c->run(argc, argv);
}

int run_subcommand(const struct command *rows, int argc, char **argv)
{
	const struct command *c;
	auto_buf struct buf names = {0};
	struct err e;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return command_help(2, (char *[]){(char *)"help", argv[0], NULL});
	if (argc > 1) {
		c = find_command(rows, argv[0], argv[1], &e);
		return c ? run_command(c, argc - 1, argv + 1) : fail_with(&e);
	}
	help_add_names(rows, &names);
	err_input(&e, "%s takes one of: %s", argv[0], buf_string(&names));
	return fail_with(&e);
}
