/*
 * help - help texts, from the tables that the parser uses.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "spec/setting.h"

static void print_commands(void)
{
	puts("glovebox - a sealed chamber for Python: runs code in a sandbox, without a daemon\n\n"
	     "Usage: glovebox COMMAND [ARGUMENTS]\n\nCommands:");
	for (const struct command *c = commands; c->name; c++)
		printf("  %-10s %s\n", c->name, c->help);
	puts("\n\"glovebox help run\" lists every flag. Try: glovebox run host python3 -c "
	     "'print(1)'");
}

static void print_setting(const struct setting *row)
{
	char left[64];

	snprintf(left, sizeof(left), "%c%c%c --%s%s%s", row->letter ? '-' : ' ',
		 row->letter ? row->letter : ' ', row->letter ? ',' : ' ', row->name,
		 row->arg ? " " : "", row->arg ? row->arg : "");
	printf("  %-34s %s", left, row->help);
	if (row->fallback)
		printf(" [%s]", row->fallback);
	putchar('\n');
}

static void print_run(void)
{
	puts("Usage: glovebox run [FLAGS] IMAGE [COMMAND [ARG...]]\n\n"
	     "Run a program in a sandbox. Flags have docker run's grammar and meaning; defaults, "
	     "in\n"
	     "brackets, are the strict ones. Exit status: the program's; 124 for --timeout, 125 "
	     "for a\n"
	     "failure of glovebox, 126 and 127 for a command that cannot be executed or found, 137 "
	     "for\n"
	     "the memory limit, 128+n for a signal.");
	for (int group = 0; group < GROUP_COUNT; group++) {
		printf("\n%s:\n", setting_group_titles[group]);
		for (const struct setting *row = run_settings; row->name; row++) {
			if ((int)row->group == group)
				print_setting(row);
		}
	}
}

static int print_rows(const struct command *rows)
{
	for (const struct command *c = rows; c->name; c++) {
		printf("glovebox %s\n    %s\n", c->synopsis, c->help);
		if (c > rows && c->options == c[-1].options)
			continue; /* "the same" */
		for (const struct option *o = c->options; o && o->name; o++) {
			char left[64];

			snprintf(left, sizeof(left), "%s %s", o->name, o->arg ? o->arg : "");
			printf("      %-28s %s\n", left, o->help);
		}
	}
	return 0;
}

int command_help(int argc, char **argv)
{
	struct err e;

	if (argc < 2) {
		print_commands();
		return 0;
	}
	if (!strcmp(argv[1], "run")) {
		print_run();
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
			return c->rows ? putchar('\n'), print_rows(c->rows) : 0;
		}
	}
	err_input(&e, "\"%.100s\" is not a command; \"glovebox help\" lists them", argv[1]);
	return fail_with(&e);
}

int run_subcommand(const struct command *rows, int argc, char **argv, const char *complaint)
{
	struct err e;

	if (argc > 1 && !strcmp(argv[argc - 1], "--help"))
		return print_rows(rows);
	for (const struct command *c = rows; argc > 1 && c->name; c++) {
		if (!strcmp(c->name, argv[1]))
			return c->run(argc - 1, argv + 1);
	}
	err_input(&e, "%s", complaint);
	return fail_with(&e);
}
