/*
 * options_text - help, manual page and completion of the options, from their table.
 */
#include "agent/options.h"

#include <string.h>

#include "flags/setting_text.h"

static const char usage[] =
	"Usage: glovebox agent [FLAGS] TASK...\n"
	"       glovebox agent [FLAGS]            at a terminal: a conversation\n"
	"       glovebox agent setup [--from MODEL] [--name NAME] [--pull] [--force] [--url "
	"URL]\n\n"
	"A local model works on a task: it writes Python, the sandbox runs it, the result goes\n"
	"back, until there is a final answer. Exit status: 0 answered; 3 no answer within\n"
	"--iterations or --deadline; 4 the model or its server failed; 125 nothing was started\n"
	"(flags, files, the image), no sandbox could be made, or the output could not be\n"
	"written; 130 Ctrl-C.\n\n"
	"Each flag is also a variable (--num-ctx: GLOVEBOX_AGENT_NUM_CTX) and a key in\n"
	"~/.config/glovebox/agent.json (\"num_ctx\"); a flag overrides a variable, and a variable\n"
	"overrides the file. \"--\" ends the flags. The task \"-\" is read from standard input.\n"
	"The server's key is taken from OLLAMA_API_KEY or OPENAI_API_KEY.\n";

void agent_options_help(struct buf *out)
{
	static const struct setting_layout layout = {.indent = 2, .width = 30, .letters = true};
	const struct settings settings = agent_settings_of(NULL, NULL);

	buf_text(out, usage);
	buf_text(out, "\nFlags (--no-NAME turns a switch off):\n");
	setting_text_help_all(&settings, GROUP_PROGRAM, &layout, out);
	buf_text(out,
		 "\nLimits of the sandbox, as in glovebox run; memory, processes and CPUs are "
		 "always\n"
		 "limited:\n");
	setting_text_help_all(&settings, GROUP_LIMITS, &layout, out);
	setting_text_help_all(&settings, GROUP_FILES, &layout, out);
	buf_text(out, "\nIts network, which is loopback alone unless one of these opens it:\n");
	setting_text_help_all(&settings, GROUP_NETWORK, &layout, out);
}

void agent_options_man(struct buf *out)
{
	const struct settings settings = agent_settings_of(NULL, NULL);

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
		 "result goes back, until there is a final answer. Without a task, at a terminal, "
		 "it "
		 "is a conversation with history and persistent variables.\n.PP\n"
		 "Each flag is also an environment variable\n.RB ( \\-\\-num\\-ctx\nis\n"
		 ".BR GLOVEBOX_AGENT_NUM_CTX )\nand a key of the file\n.RB ( num_ctx ).\n"
		 "A flag overrides a variable, and a variable overrides the file.\n"
		 ".SH OPTIONS\n");
	setting_text_man_all(&settings, GROUP_PROGRAM, out);
	buf_text(out,
		 ".SH LIMITS OF THE SANDBOX\nAs in\n.BR glovebox (1);\nmemory, processes "
		 "and CPUs are always limited.\n");
	setting_text_man_all(&settings, GROUP_LIMITS, out);
	setting_text_man_all(&settings, GROUP_FILES, out);
	buf_text(out,
		 ".SH NETWORK OF THE SANDBOX\nLoopback alone, unless one of these opens it.\n");
	setting_text_man_all(&settings, GROUP_NETWORK, out);
	buf_text(out,
		 ".SH EXIT STATUS\n0: answered. 3: no answer within the iterations or the "
		 "deadline. 4: the model or its server failed. 125: nothing was started "
		 "(flags, files, the image), no sandbox could be made, or the output could not be "
		 "written. 130: Ctrl\\-C.\n"
		 ".SH ENVIRONMENT\n.TP\n.B OLLAMA_HOST\nThe server, if \\-\\-url does not name "
		 "one.\n"
		 ".TP\n.B OLLAMA_API_KEY\nSent to an Ollama server as a bearer token. With "
		 "\\-\\-api openai,\n.B OPENAI_API_KEY\nis sent.\n"
		 ".TP\n.B NO_COLOR\nIf not empty, no colours.\n"
		 ".TP\n.BR XDG_CONFIG_HOME \", \" XDG_STATE_HOME\nWhere the files below are, "
		 "instead "
		 "of in ~/.config and ~/.local/state.\n"
		 ".SH FILES\n.TP\n.I ~/.config/glovebox/agent.json\nOptions, as one JSON object.\n"
		 ".TP\n.I ~/.local/state/glovebox/agent\\-history\nWhat was typed in "
		 "conversations.\n"
		 ".TP\n.I ~/.local/state/glovebox/agent\\-conversation.json\nThe last "
		 "conversation, for \\-\\-continue.\n"
		 ".PP\nThe paths of \\-\\-workspace, \\-\\-output, \\-\\-system "
		 "and \\-\\-transcript are refused if they lead through a link that "
		 "a program may have put there.\n"
		 ".SH SEE ALSO\n.BR glovebox (1)\n");
}

void agent_options_words(struct buf *out)
{
	const struct settings settings = agent_settings_of(NULL, NULL);

	setting_text_names(&settings, "\n", out);
	buf_text(out, "\n");
}

bool agent_options_generate(const char *what, struct buf *out)
{
	if (!strcmp(what, "man"))
		agent_options_man(out);
	else if (!strcmp(what, "words"))
		agent_options_words(out);
	else
		return false;
	return true;
}
