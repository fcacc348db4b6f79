/*
 * generate - write the manual page and shell completion, from the parser's tables.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "flags/setting_text.h"

static void generate_print_roff(const char *text)
{
	auto_buf struct buf roff = {0};

	setting_text_roff(text, &roff);
	fputs(buf_string(&roff), stdout);
}

/* Write the flags of a command. */
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
	const struct settings settings = run_all_settings();
	auto_buf struct buf text = {0};

	for (int group = 0; group < GROUP_COUNT; group++) {
		buf_printf(&text, ".SH \"RUN: %s\"\n", setting_group_titles[group]);
		if (group == GROUP_REFUSED)
			setting_text_refused(&settings, true, &text);
		else
			setting_text_man_all(&settings, (enum setting_group)group, &text);
	}
	fputs(buf_string(&text), stdout);
}

static void generate_print_man_row(const struct command *c, bool flags)
{
	printf(".TP\n.B glovebox ");
	generate_print_roff(c->synopsis);
	putchar('\n');
	generate_print_roff(c->help);
	puts(".");
	if (c->more)
		generate_print_roff(c->more);
	if (flags)
		generate_print_man_settings(c->settings);
}

/* Write a section for each command that has sub-commands. */
static void generate_print_man_family(const struct command *family)
{
	printf(".SH ");
	for (const char *p = family->name; *p; p++)
		putchar(toupper((unsigned char)*p));
	putchar('\n');
	for (const struct command *c = family->rows; c->name; c++) {
		bool the_same = c > family->rows && c->settings == c[-1].settings;

		generate_print_man_row(c, !the_same);
	}
	if (family->rows == session_commands)
		puts(".PP\nA session's code runs in /workspace, 256 MiB in memory, with the limits "
		     "of a run.\nCalls take turns. A call that ends its session (a limit, a crash) "
		     "says why, and so does any\nlater command that names the session, with status "
		     "125;\n"
		     "glovebox session rm ends with 0 then, and the name is forgotten.");
}

static void generate_print_man_examples(void)
{
	/* clang-format off */
	static const char *const examples[][2] = {
		{"Run a script on data that it may read, and take what it leaves in /output:", "glovebox run --code script.py --workspace ./data --output ./out python"},
		{"Give it arguments, half a minute and a gigabyte:", "glovebox run --code script.py --timeout 1m30s -m 1g python --verbose 2026"},
		{"One result as JSON:", "glovebox run --json host python3 -c 'print(6 * 7)'"},
		{"What would be done, without doing it:", "glovebox run --explain host python3"},
		{"An image with two more packages, under a name of its own:", "glovebox image build slim --apt jq --pip httpx --tag tools"},
		{"Keep a Python warm, from which runs start in milliseconds:", "glovebox warm start --image python --preload numpy,pandas"},
		{"Variables that stay from call to call:", "glovebox session new --name lab python\nglovebox session exec lab 'x = 6'\nglovebox session exec lab 'x * 7'\nglovebox session rm lab"},
		{"What this machine lacks:", "glovebox doctor"},
	};
	/* clang-format on */

	puts(".SH EXAMPLES");
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		printf("%s", i ? ".PP\n" : "");
		generate_print_roff(examples[i][0]);
		printf("\n.PP\n.in +4\n.nf\n");
		generate_print_roff(examples[i][1]);
		printf("\n.fi\n.in\n");
	}
}

static void generate_print_man_head(void)
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
}

static void generate_print_man_tail(void)
{
	puts(".SH EXIT STATUS\nThe program's own; 123 when it ended with 0, but said more than\n"
	     ".BR \\-\\-output-limit ;\n124 for\n.BR \\-\\-timeout ;\n"
	     "125 for a failure of glovebox, or output that could not be written; 126 or 127 for a "
	     "command that cannot be executed or "
	     "found;\n137 for the memory limit and\n.BR \\-\\-cpu-time ;\n128+n for signal n.\n"
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
	     ".SH SEE ALSO\n.BR glovebox\\-image (1),\n.BR glovebox\\-agent (1),\n"
	     ".BR glovebox\\-serve (1)");
}

static int generate_man(int argc, char **argv)
{
	int status = no_arguments(argc, argv);

	if (status)
		return status;
	generate_print_man_head();
	for (const struct command *c = commands; c->name; c++)
		generate_print_man_row(c, !c->rows);
	generate_print_man_run();
	for (const struct command *c = commands; c->name; c++) {
		if (c->rows)
			generate_print_man_family(c);
	}
	generate_print_man_examples();
	generate_print_man_tail();
	return 0;
}

/*
 * The shell asks us at every turn (cli/complete.c), so the completion always matches this version.
 * The shell splits words at : and =, and replaces only what follows the last of them. A word
 * unknown to us may be a file.
 */
static int generate_completion(int argc, char **argv)
{
	int status = no_arguments(argc, argv);

	if (status)
		return status;
	puts("# bash completion for glovebox; made by \"glovebox generate bash-completion\"\n"
	     "_glovebox()\n{\n"
	     "\tlocal line=${COMP_LINE:0:COMP_POINT} words word cut ours\n"
	     "\tread -ra words <<< \"$line\"\n"
	     "\t[[ $line == *[[:space:]] ]] && words+=(\"\")\n"
	     "\tword=${words[-1]}\n"
	     "\tours=${words[0]}\n"
	     "\t[[ $ours == /* ]] || ours=${ours##*/}\n" /* not a file of this directory */
	     "\tcut=${word%\"${word##*[:=]}\"}\n"
	     "\tCOMPREPLY=()\n"
	     "\twhile read -r line; do\n"
	     "\t\t[[ $line == \"$word\"* ]] && COMPREPLY+=(\"${line#\"$cut\"}\")\n"
	     "\tdone < <(\"$ours\" generate words \"${words[@]:1}\" 2> /dev/null)\n"
	     "\t[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
	     "\treturn 0\n"
	     "}\n"
	     "complete -o default -F _glovebox glovebox\n"
	     "[[ $(readlink -f \"$(type -P docker)\") == */glovebox ]] &&\n"
	     "\tcomplete -o default -F _glovebox docker\n"
	     "true");
	return 0;
}

/* zsh does not split words, and passes what precedes the cursor. */
static int generate_zsh_completion(int argc, char **argv)
{
	int status = no_arguments(argc, argv);

	if (status)
		return status;
	puts("#compdef glovebox\n"
	     "# zsh completion for glovebox; made by \"glovebox generate zsh-completion\"\n"
	     "_glovebox()\n{\n"
	     "\tlocal ours=${(Q)words[1]} ret=1\n"
	     "\tlocal -a said values\n"
	     "\t[[ $ours == /* ]] || ours=${ours:t}\n" /* not a file of this directory */
	     "\tsaid=(${(f)\"$(\"$ours\" generate words \"${(@Q)words[2,CURRENT-1]}\" "
	     "\"${(Q)PREFIX}\" 2> /dev/null)\"})\n"
	     "\tvalues=(${(M)said:#*=})\n"
	     "\tsaid=(${said:#*=})\n"
	     "\tcompadd -S '' -a values && ret=0\n"
	     "\tcompadd -a said && ret=0\n"
	     "\t(( ret == 0 )) || _files\n"
	     "}\n"
	     "if [[ $funcstack[1] == _glovebox ]]; then\n" /* autoloaded at the first <Tab> */
	     "\t_glovebox \"$@\"\n"
	     "else\n"
	     "\tcompdef _glovebox glovebox\n"
	     "fi");
	return 0;
}

const struct command generate_commands[] = {
	{"man",								  "generate man", "print the manual page", generate_man, .rows = NULL},
	{"bash-completion",					       "generate bash-completion",
	 "print what bash(1) has to read: put it into ~/.bashrc, or install it", generate_completion, .rows = NULL},
	{"zsh-completion",							  "generate zsh-completion",
	 "print what zsh(1) has to read: install it as _glovebox in a directory of fpath", generate_zsh_completion, .rows = NULL},
	{"unit",						      "generate unit [--restart POLICY] NAME",
	 "print a unit of systemd that starts a sandbox that stays, and starts it again", generate_unit, .settings = unit_settings, .operands = OPERANDS_KEPT},
	{.name = NULL},
};

int command_generate(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "words"))
		return command_complete(argc - 1, argv + 1);
	return run_subcommand(generate_commands, argc, argv);
}
