/*
 * generate - the manual page and shell completion, from the tables that the parser uses.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/presentation.h"
#include "spec/setting_text.h"

static void generate_print_roff(const char *text)
{
	auto_buf struct buf roff = {0};

	setting_text_roff(text, &roff);
	fputs(buf_string(&roff), stdout);
}

/* The flags of a command of a command. */
static void generate_print_man_settings(const struct setting *rows)
{
	auto_buf struct buf text = {0};

	for (const struct setting *row = rows; row && row->name; row++)
		setting_text_man(row, &text);
	if (text.length)
		printf(".RS\n%s.RE\n", buf_string(&text));
}

static void generate_print_man_run(void)
{
	const struct settings settings = presentation_settings(NULL, NULL);
	auto_buf struct buf text = {0};

	for (int group = 0; group < GROUP_COUNT; group++) {
		buf_printf(&text, ".SH \"RUN: %s\"\n", setting_group_titles[group]);
		setting_text_man_all(&settings, (enum setting_group)group, &text);
	}
	fputs(buf_string(&text), stdout);
}

static void generate_print_man_rows(const char *title, const struct command *rows)
{
	printf(".SH %s\n", title);
	for (const struct command *c = rows; c->name; c++) {
		printf(".TP\n.B glovebox ");
		generate_print_roff(c->synopsis);
		putchar('\n');
		generate_print_roff(c->help);
		puts(".");
		if (c == rows || c->settings != c[-1].settings) /* not "the same" */
			generate_print_man_settings(c->settings);
	}
}

static void generate_print_man(void)
{
	puts(".TH GLOVEBOX 1 \"2026-11-21\" \"glovebox " GLOVEBOX_VERSION
	     "\" \"User Commands\"\n"
	     ".SH NAME\nglovebox \\- run Python and other programs in a sandbox, without a daemon\n"
	     ".SH SYNOPSIS");
	for (const struct command *c = commands; c->name; c++) {
		printf("%s.B glovebox\n", c == commands ? "" : ".br\n");
		generate_print_roff(c->synopsis);
		putchar('\n');
	}
	puts(".SH DESCRIPTION\nglovebox builds a sandbox from kernel primitives (namespaces, "
	     "cgroups,\n"
	     "capabilities, Landlock, seccomp) and runs one program in it. Installed under the "
	     "name\n"
	     ".BR docker ,\nit accepts docker run command lines.\n.SH COMMANDS");
	for (const struct command *c = commands; c->name; c++) {
		printf(".TP\n.B %s\n", c->name);
		generate_print_roff(c->help);
		puts(".");
	}
	generate_print_man_run();
	generate_print_man_rows("WARM", warm_commands);
	generate_print_man_rows("SESSION", session_commands);
	puts(".PP\nA session's code runs in /workspace, 256 MiB in memory, with the limits of a "
	     "run.\n"
	     "Calls take turns. A call that ends its session (a limit, a crash) says why, and so "
	     "does any\nlater command that names the session; exit 125.");
	puts(".SH EXIT STATUS\nThe program's own; 123 when it ended with 0, but said more than\n"
	     ".BR \\-\\-output-limit ;\n124 for\n.BR \\-\\-timeout ;\n"
	     "125 for a failure of glovebox, or output that could not be written; 126 or 127 for a "
	     "command that cannot be executed or "
	     "found;\n137 for the memory limit; 128+n for signal n.\n"
	     ".SH ENVIRONMENT\n"
	     ".TP\n.B GLOVEBOX_IMAGES\nThe directory of images.\n"
	     ".TP\n.B GLOVEBOX_CGROUP\nThe parent cgroup of sandboxes, relative to the mount of "
	     "the hierarchy.\n"
	     ".TP\n.B XDG_RUNTIME_DIR\nWhere this user's warm supervisor listens. Each such "
	     "directory can have a supervisor of its own.\n"
	     ".SH FILES\n"
	     ".TP\n.I $XDG_RUNTIME_DIR/glovebox/warm.sock\nThe socket of the warm supervisor; "
	     "root's without that variable is\n.IR /run/glovebox/warm.sock .\n"
	     ".TP\n.I /var/lib/glovebox/images\nImages, for root.\n"
	     ".TP\n.I ~/.local/share/glovebox/images\nImages, for everybody else.\n"
	     ".SH SEE ALSO\n.BR glovebox\\-agent (1)");
}

static void generate_print_names(const struct settings *settings)
{
	auto_buf struct buf names = {0};

	setting_text_names(settings, " ", &names);
	printf("%s' -- \"$cur\"))\n", buf_string(&names));
}

/* The commands of a command, and their flags. */
static void generate_print_completion_of(const struct command *family)
{
	printf("\telif [ \"${COMP_WORDS[1]}\" = %s ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W '",
	       family->name);
	for (const struct command *c = family->rows; c->name; c++)
		printf("%s ", c->name);
	puts("' -- \"$cur\"))");
	for (const struct command *c = family->rows; c->name; c++) {
		const struct settings own = {.face = ~0u, .tables = {{c->settings, NULL, NULL}}};

		if (!c->settings)
			continue;
		printf("\telif [ \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" = \"%s %s\" ] && "
		       "[[ $cur == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W '",
		       family->name, c->name);
		generate_print_names(&own);
	}
}

static void generate_print_completion(void)
{
	const struct settings run = presentation_settings(NULL, NULL);

	puts("# bash completion for glovebox; made by \"glovebox generate bash-completion\"\n"
	     "_glovebox()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
	     "\tif [ \"$COMP_CWORD\" -eq 1 ]; then");
	printf("\t\tCOMPREPLY=($(compgen -W '");
	for (const struct command *c = commands; c->name; c++)
		printf("%s ", c->name);
	puts("' -- \"$cur\"))\n\telif [ \"${COMP_WORDS[1]}\" = run ] && [[ $cur == -* ]]; then");
	printf("\t\tCOMPREPLY=($(compgen -W '");
	generate_print_names(&run);
	for (const struct command *c = commands; c->name; c++) {
		if (c->rows)
			generate_print_completion_of(c);
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
		generate_print_man();
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "bash-completion")) {
		generate_print_completion();
		return 0;
	}
	err_input(&e, "generate takes one of: man, bash-completion");
	return fail_with(&e);
}
