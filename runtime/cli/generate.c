/*
 * generate - the manual page and shell completion, from the tables that the parser uses.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "spec/setting.h"

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

static void print_man_option(const struct option *o)
{
	printf(".RS\n.TP\n.B ");
	print_roff(o->name);
	if (o->arg) {
		printf("\\fR \\fI");
		print_roff(o->arg);
	}
	printf("\\fR\n");
	print_roff(o->help);
	printf(".\n.RE\n");
}

static void print_man_rows(const char *title, const struct command *rows)
{
	printf(".SH %s\n", title);
	for (const struct command *c = rows; c->name; c++) {
		printf(".TP\n.B glovebox ");
		print_roff(c->synopsis);
		putchar('\n');
		print_roff(c->help);
		puts(".");
		if (c > rows && c->options == c[-1].options)
			continue; /* "the same" */
		for (const struct option *o = c->options; o && o->name; o++)
			print_man_option(o);
	}
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
	print_man_rows("WARM", warm_commands);
	print_man_rows("SESSION", session_commands);
	puts(".PP\nA session's code runs in /workspace, 256 MiB in memory, with the limits of a "
	     "run. "
	     "Its "
	     "calls\ntake turns. When one ends a session (a limit, a crash), it says why, as does "
	     "whoever\nasks for it later; exit 125.");
	puts(".SH EXIT STATUS\nThe program's own; 124 for\n.BR \\-\\-timeout ;\n125 for a failure "
	     "of "
	     "glovebox; 126 or 127 for a command that cannot be executed or found;\n137 for the "
	     "memory "
	     "limit; 128+n for signal n.\n"
	     ".SH ENVIRONMENT\n.TP\n.B GLOVEBOX_IMAGES\nThe directory of images.\n.TP\n.B "
	     "GLOVEBOX_CGROUP\nThe parent cgroup of sandboxes, relative to the mount of the "
	     "hierarchy.\n"
	     ".TP\n.B XDG_RUNTIME_DIR\nWhere the warm supervisor of this user listens; another "
	     "directory, another supervisor.\n"
	     ".SH FILES\n.TP\n.I $XDG_RUNTIME_DIR/glovebox/warm.sock\nThe socket of the warm "
	     "supervisor; for root without that variable\n.IR /run/glovebox/warm.sock .\n.TP\n.I "
	     "/var/lib/glovebox/images\nImages, for root.\n.TP\n.I "
	     "~/.local/share/glovebox/images\nImages, for everybody else.\n"
	     ".SH SEE ALSO\n.BR glovebox\\-agent (1)");
}

/* Commands of a command, and the flags of those. */
static void print_completion_of(const struct command *family)
{
	printf("\telif [ \"${COMP_WORDS[1]}\" = %s ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W '",
	       family->name);
	for (const struct command *c = family->rows; c->name; c++)
		printf("%s ", c->name);
	puts("' -- \"$cur\"))");
	for (const struct command *c = family->rows; c->name; c++) {
		if (!c->options)
			continue;
		printf("\telif [ \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" = \"%s %s\" ] && "
		       "[[ $cur == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W '",
		       family->name, c->name);
		for (const struct option *o = c->options; o->name; o++)
			printf("%s ", o->name);
		puts("' -- \"$cur\"))");
	}
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
	puts("' -- \"$cur\"))");
	for (const struct command *c = commands; c->name; c++) {
		if (c->rows)
			print_completion_of(c);
	}
	puts("\telif [ \"${COMP_WORDS[1]}\" = session ] && [ \"$COMP_CWORD\" -eq 3 ] && "
	     "[[ $cur != -* && ${COMP_WORDS[2]} != @(new|ls) ]]; then\n"
	     "\t\tCOMPREPLY=($(compgen -W \"$(glovebox session ls 2>/dev/null | "
	     "grep -o '\"name\":\"[^\"]*\"' | cut -d'\"' -f4)\" -- \"$cur\"))");
	puts("\telif [ \"${COMP_WORDS[1]}\" = agent ] && [[ $cur == -* ]]; then\n"
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
