/*
 * options_text - the options for people: help, manual page, completion; all from the table.
 */
#include <string.h>

#include "agent/options.h"
#include "spec/setting.h"

static const char usage[] =
	"Usage: glovebox agent [FLAGS] TASK...\n"
	"       glovebox agent [FLAGS]            at a terminal: a conversation\n"
	"       glovebox agent setup [--from MODEL] [--name NAME] [--pull] [--url URL]\n\n"
	"A local model works on a task: it writes Python, the sandbox runs it, the result goes\n"
	"back, until a final answer. Exit status: 0 answered; 3 no answer within --iterations or\n"
	"--deadline; 4 the model or its server failed; 125 nothing was begun (flags, files,\n"
	"the image), no sandbox could be made, or the output could not be written; 130 Ctrl-C.\n\n"
	"Each flag is also a variable (--num-ctx: GLOVEBOX_AGENT_NUM_CTX) and a key in\n"
	"~/.config/glovebox/agent.json (\"num_ctx\"); a flag is stronger than a variable, that is\n"
	"stronger than the file. \"--\" ends the flags, and \"-\" as the task reads it from\n"
	"standard input. A server's key is in OLLAMA_API_KEY or OPENAI_API_KEY.\n";

static bool is_limit(const struct setting *s)
{
	return option_limit_find(s->name, strlen(s->name)) == s;
}

static void help_line(struct buf *out, char letter, const char *name, const char *arg,
		      const char *help, const char *fallback)
{
	auto_buf struct buf left = {0};

	buf_printf(&left, "%c%c%c --%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
		   letter ? ',' : ' ', name, arg ? " " : "", arg ? arg : "");
	buf_printf(out, "  %-30s %s", buf_string(&left), help);
	if (fallback)
		buf_printf(out, " [%s]", fallback);
	buf_text(out, "\n");
}

void agent_options_help(struct buf *out)
{
	buf_text(out, usage);
	buf_text(out, "\nFlags (a switch is turned off by --no-NAME):\n");
	for (const struct option_row *row = option_rows; row->name; row++)
		help_line(out, row->letter, row->name, row->arg, row->help, row->fallback);
	buf_text(out,
		 "\nLimits of the sandbox, as glovebox run has them; memory, processes and "
		 "processors\n"
		 "are always limited:\n");
	for (const struct setting *s = run_settings; s->name; s++) {
		if (is_limit(s))
			help_line(out, 0, s->name, s->arg, s->help, s->fallback);
	}
}

/* roff: a dash that is to be typed, and a backslash, need escaping. */
static void add_roff(struct buf *out, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p == '-' || *p == '\\')
			buf_text(out, "\\");
		buf_add(out, p, 1);
	}
}

static void man_entry(struct buf *out, char letter, const char *name, const char *arg,
		      const char *help, const char *fallback)
{
	buf_text(out, ".TP\n.B ");
	if (letter)
		buf_printf(out, "\\-%c, ", letter);
	buf_text(out, "\\-\\-");
	add_roff(out, name);
	if (arg) {
		buf_text(out, "\\fR \\fI");
		add_roff(out, arg);
	}
	buf_text(out, "\\fR\n");
	add_roff(out, help);
	if (fallback) {
		buf_text(out, " (default: ");
		add_roff(out, fallback);
		buf_text(out, ")");
	}
	buf_text(out, ".\n");
}

void agent_options_man(struct buf *out)
{
	buf_text(out,
		 ".TH GLOVEBOX\\-AGENT 1 \"2026-11-22\" \"glovebox " GLOVEBOX_VERSION
		 "\" \"User Commands\"\n"
		 ".SH NAME\nglovebox\\-agent \\- a local model that writes Python and runs it in "
		 "a sandbox\n"
		 ".SH SYNOPSIS\n.B glovebox agent\n[FLAGS] [TASK...]\n.br\n"
		 ".B glovebox agent setup\n[\\-\\-from MODEL] [\\-\\-name NAME] [\\-\\-pull] "
		 "[\\-\\-url URL]\n"
		 ".SH DESCRIPTION\n"
		 "A local model works on a task: it writes Python, the sandbox runs it, the "
		 "result goes back, until a final answer. Without a task, at a terminal, it is "
		 "a conversation with history and persistent variables.\n.PP\n"
		 "Each flag is also a variable of the environment\n.RB ( \\-\\-num\\-ctx\nis\n"
		 ".BR GLOVEBOX_AGENT_NUM_CTX )\nand a key of the file\n.RB ( num_ctx ).\n"
		 "A flag is stronger than a variable, and that than the file.\n"
		 ".SH OPTIONS\n");
	for (const struct option_row *row = option_rows; row->name; row++)
		man_entry(out, row->letter, row->name, row->arg, row->help, row->fallback);
	buf_text(out,
		 ".SH LIMITS OF THE SANDBOX\nAs\n.BR glovebox (1)\nhas them; memory, processes "
		 "and processors are always limited.\n");
	for (const struct setting *s = run_settings; s->name; s++) {
		if (is_limit(s))
			man_entry(out, 0, s->name, s->arg, s->help, s->fallback);
	}
	buf_text(out,
		 ".SH EXIT STATUS\n0: answered. 3: no answer within the iterations or the "
		 "deadline. 4: the model or its server failed. 125: nothing was begun "
		 "(flags, files, the image), no sandbox could be made, or the output could not be "
		 "written. 130: Ctrl\\-C.\n"
		 ".SH ENVIRONMENT\n.TP\n.B OLLAMA_HOST\nThe server, where \\-\\-url does not name "
		 "one.\n"
		 ".TP\n.B OLLAMA_API_KEY\nSent to an Ollama server as a bearer token; to one of "
		 "\\-\\-api openai,\n.B OPENAI_API_KEY\nis.\n"
		 ".TP\n.B NO_COLOR\nNot empty: no colours.\n"
		 ".TP\n.BR XDG_CONFIG_HOME \", \" XDG_STATE_HOME\nWhere the files below are, in "
		 "place of ~/.config and ~/.local/state.\n"
		 ".SH FILES\n.TP\n.I ~/.config/glovebox/agent.json\nOptions: one JSON object.\n"
		 ".TP\n.I ~/.local/state/glovebox/agent\\-history\nWhat was typed in "
		 "conversations.\n"
		 ".PP\nNo link that a program may have put there is followed on the way to what "
		 "\\-\\-workspace, \\-\\-output, \\-\\-system, \\-\\-replay and "
		 "\\-\\-transcript name.\n"
		 ".SH SEE ALSO\n.BR glovebox (1)\n");
}

void agent_options_words(struct buf *out)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		buf_printf(out, "--%s\n", row->name);
		if (row->kind == OPTION_SWITCH || row->kind == OPTION_ON_OFF)
			buf_printf(out, "--no-%s\n", row->name);
	}
	for (const struct setting *s = run_settings; s->name; s++) {
		if (is_limit(s))
			buf_printf(out, "--%s\n", s->name);
	}
}
