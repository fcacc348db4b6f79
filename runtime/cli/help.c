/*
 * help - help texts, the manual page and shell completion, all from the tables
 * that the parser uses.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
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
			return 0;
		}
	}
	err_input(&e, "\"%.100s\" is not a command; \"glovebox help\" lists them", argv[1]);
	return fail_with(&e);
}

/* roff: a dash that is to be typed, and a backslash, need escaping. */
static void print_roff(const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p == '-' || *p == '\\')
			putchar('\\');
		putchar(*p);
	}
}

static void print_man_setting(const struct setting *row)
{
	printf(".TP\n.B ");
	if (row->letter)
		printf("\\-%c, ", row->letter);
	printf("\\-\\-");
	print_roff(row->name);
	if (row->arg) {
		printf("\\fR \\fI");
		print_roff(row->arg);
	}
	printf("\\fR\n");
	print_roff(row->help);
	if (row->fallback) {
		printf(" (default: ");
		print_roff(row->fallback);
		printf(")");
	}
	printf(".\n");
}

static void print_man(void)
{
	puts(".TH GLOVEBOX 1 \"2026-11-21\" \"glovebox " GLOVEBOX_VERSION
	     "\" \"User Commands\"\n"
	     ".SH NAME\nglovebox \\- run Python and other programs in a sandbox, without a daemon\n"
	     ".SH SYNOPSIS");
	for (const struct command *c = commands; c->name; c++) {
		printf("%s.B glovebox\n", c == commands ? "" : ".br\n");
		print_roff(c->synopsis);
		putchar('\n');
	}
	puts(".SH DESCRIPTION\nglovebox builds a sandbox from kernel primitives (namespaces, "
	     "cgroups,\n"
	     "capabilities, Landlock, seccomp) and runs one program in it. Installed under the "
	     "name\n"
	     ".BR docker ,\nit accepts docker run command lines.\n.SH COMMANDS");
	for (const struct command *c = commands; c->name; c++) {
		printf(".TP\n.B %s\n", c->name);
		print_roff(c->help);
		puts(".");
	}
	for (int group = 0; group < GROUP_COUNT; group++) {
		printf(".SH \"RUN: %s\"\n", setting_group_titles[group]);
		for (const struct setting *row = run_settings; row->name; row++) {
			if ((int)row->group == group)
				print_man_setting(row);
		}
	}
	puts(".SH EXIT STATUS\nThe program's own; 124 for\n.BR \\-\\-timeout ;\n125 for a failure "
	     "of "
	     "glovebox; 126 or 127 for a command that cannot be executed or found;\n137 for the "
	     "memory "
	     "limit; 128+n for signal n.\n"
	     ".SH ENVIRONMENT\n.TP\n.B GLOVEBOX_IMAGES\nThe directory of images.\n.TP\n.B "
	     "GLOVEBOX_CGROUP\nThe parent cgroup of sandboxes, relative to the mount of the "
	     "hierarchy.\n"
	     ".SH FILES\n.TP\n.I /var/lib/glovebox/images\nImages, for root.\n.TP\n.I "
	     "~/.local/share/glovebox/images\nImages, for everybody else.\n"
	     ".SH SEE ALSO\n.BR glovebox\\-agent (1)");
}

static int print_synopses(const struct command *rows)
{
	for (const struct command *c = rows; c->name; c++)
		printf("glovebox %s\n    %s\n", c->synopsis, c->help);
	return 0;
}

int run_subcommand(const struct command *rows, int argc, char **argv, const char *complaint)
{
	struct err e;

	if (argc > 1 && !strcmp(argv[argc - 1], "--help"))
		return print_synopses(rows);
	for (const struct command *c = rows; argc > 1 && c->name; c++) {
		if (!strcmp(c->name, argv[1]))
			return c->run(argc - 1, argv + 1);
	}
	err_input(&e, "%s", complaint);
	return fail_with(&e);
}

static void print_completion(void)
{
	puts("# bash completion for glovebox; made by \"glovebox generate bash-completion\"\n"
	     "_glovebox()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
	     "\tif [ \"$COMP_CWORD\" -eq 1 ]; then");
	printf("\t\tCOMPREPLY=($(compgen -W '");
	for (const struct command *c = commands; c->name; c++)
		printf("%s ", c->name);
	puts("' -- \"$cur\"))\n\telif [ \"${COMP_WORDS[1]}\" = run ] && [[ $cur == -* ]]; then");
	printf("\t\tCOMPREPLY=($(compgen -W '");
	for (const struct setting *row = run_settings; row->name; row++) {
		if (row->group != GROUP_REFUSED)
			printf("--%s ", row->name);
	}
	puts("' -- \"$cur\"))\n\telif [ \"${COMP_WORDS[1]}\" = agent ] && [[ $cur == -* ]]; then\n"
	     "\t\tCOMPREPLY=($(compgen -W \"$(glovebox agent generate words 2>/dev/null)\" -- "
	     "\"$cur\"))\n\telif [ \"${COMP_WORDS[1]}\" = run ]; then\n"
	     "\t\tCOMPREPLY=($(compgen -f -W \"$(glovebox images 2>/dev/null | sed 1d | cut -d\" "
	     "\" -f1)\" -- \"$cur\"))\n"
	     "\telse\n\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\tfi\n}\ncomplete -F _glovebox "
	     "glovebox");
}

int command_generate(int argc, char **argv)
{
	struct err e;

	if (argc == 2 && !strcmp(argv[1], "man")) {
		print_man();
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "bash-completion")) {
		print_completion();
		return 0;
	}
	err_input(&e, "generate takes one of: man, bash-completion");
	return fail_with(&e);
}
