/*
 * help - help texts, from the tables that the parser uses.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/presentation.h"
#include "spec/setting_text.h"

static void help_print_commands(void)
{
	puts("glovebox - a sealed chamber for Python: runs code in a sandbox, without a daemon\n\n"
	     "Usage: glovebox COMMAND [ARGUMENTS]\n\nCommands:");
	for (const struct command *c = commands; c->name; c++)
		printf("  %-10s %s\n", c->name, c->help);
	puts("\n\"glovebox help run\" lists every flag. Try: glovebox run host python3 -c "
	     "'print(1)'");
}

static void help_print_run(void)
{
	static const struct setting_layout layout = {.indent = 2, .width = 34, .letters = true};
	const struct settings settings = presentation_settings(NULL, NULL);
	auto_buf struct buf text = {0};

	puts("Usage: glovebox run [FLAGS] IMAGE [COMMAND [ARG...]]\n\n"
	     "Run a program in a sandbox. Flags have docker run's grammar and meaning; defaults, "
	     "in\nbrackets, are the strict ones. Exit status: the program's; 123 for output "
	     "beyond its\nlimit, 124 for --timeout, 125 for a failure of glovebox, 126 and 127 "
	     "for a command that\ncannot be executed or found, 137 for the memory limit, 128+n for "
	     "a signal.");
	for (int group = 0; group < GROUP_COUNT; group++) {
		buf_printf(&text, "\n%s:\n", setting_group_titles[group]);
		setting_text_help_all(&settings, (enum setting_group)group, &layout, &text);
	}
	fputs(buf_string(&text), stdout);
}

static int help_print_rows(const struct command *rows)
{
	static const struct setting_layout layout = {.indent = 6, .width = 28};
	auto_buf struct buf text = {0};

	for (const struct command *c = rows; c->name; c++) {
		buf_printf(&text, "glovebox %s\n    %s\n", c->synopsis, c->help);
		if (c > rows && c->settings == c[-1].settings)
			continue; /* aliases */
		for (const struct setting *row = c->settings; row && row->name; row++)
			setting_text_help(row, &layout, &text);
	}
	fputs(buf_string(&text), stdout);
	return 0;
}

int command_help(int argc, char **argv)
{
	struct err e;

	if (argc < 2) {
		help_print_commands();
		return 0;
	}
	if (!strcmp(argv[1], "run")) {
		help_print_run();
		return 0;
	}
	if (!strcmp(argv[1], "image"))
		return exec_sibling("glovebox-image", 2,
				    (char *[]){(char *)"image", (char *)"--help", NULL});
	if (!strcmp(argv[1], "agent"))
		return exec_sibling("glovebox-agent", 2,
				    (char *[]){(char *)"agent", (char *)"--help", NULL});
	for (const struct command *c = commands; c->name; c++) {
		if (!strcmp(c->name, argv[1])) {
			printf("Usage: glovebox %s\n\n%s\n", c->synopsis, c->help);
			return c->rows ? putchar('\n'), help_print_rows(c->rows) : 0;
		}
	}
	err_input(&e, "\"%.100s\" is not a command; \"glovebox help\" lists them", argv[1]);
	return fail_with(&e);
}

int run_subcommand(const struct command *rows, int argc, char **argv, const char *complaint)
{
	struct err e;

	if (argc > 1 && !strcmp(argv[argc - 1], "--help"))
		return help_print_rows(rows);
	for (const struct command *c = rows; argc > 1 && c->name; c++) {
		if (!strcmp(c->name, argv[1]))
			return c->run(argc - 1, argv + 1);
	}
	err_input(&e, "%s", complaint);
	return fail_with(&e);
}
