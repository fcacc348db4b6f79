/*
 * interactive - a conversation at a terminal.
 */
#include "agent/interactive.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/overdue.h"
#include "agent/show/line_editor.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/say.h"
#include "host/make_dirs.h"

static const char help[] =
	"/new   forget what was said, and the variables\n"
	"/help  this\n"
	"/quit  leave; so do Ctrl-D, and Ctrl-C twice\n"
	"A line that ends in a backslash goes on in the next one.\n";

enum turn { TURN_ON, TURN_END, TURN_INTERRUPTED };

/* ~/.local/state/glovebox/agent-history; NULL without a home. */
static const char *interactive_history_path(char *out, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	char folder[PATH_MAX];
	auto_fd int made = -1;
	struct err ignored;
	int n = -1;

	if (state && state[0] == '/')
		n = snprintf(folder, sizeof(folder), "%s/glovebox", state);
	else if (home && home[0] == '/')
		n = snprintf(folder, sizeof(folder), "%s/.local/state/glovebox", home);
	if (n < 0 || (size_t)n >= sizeof(folder))
		return NULL;
	made = make_dirs(folder, &ignored);
	if (made < 0)
		return NULL;
	n = snprintf(out, size, "%s/agent-history", folder);
	return n > 0 && (size_t)n < size ? out : NULL;
}

static void interactive_on_interrupt(int number)
{
	(void)number; /* its arrival interrupts the read */
}

/* Ctrl-C is a signal while a line is typed, and comes through a descriptor at all other times. */
static enum line interactive_read_line(struct line_editor *editor, char **out)
{
	struct sigaction act = {.sa_handler = interactive_on_interrupt};
	struct sigaction before;
	sigset_t interrupt;
	enum line got;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigaction(SIGINT, &act, &before);
	sigprocmask(SIG_UNBLOCK, &interrupt, NULL);
	got = line_editor_read(editor, "> ", out);
	sigprocmask(SIG_BLOCK, &interrupt, NULL);
	sigaction(SIGINT, &before, NULL);
	return got;
}

static enum turn interactive_take_text(struct loop *l, const char *text)
{
	enum outcome outcome;

	if (!text[strspn(text, " \t\n")])
		return TURN_ON;
	if (!strcmp(text, "/quit") || !strcmp(text, "/exit"))
		return TURN_END;
	if (!strcmp(text, "/help")) {
		fputs(help, stderr);
		return TURN_ON;
	}
	if (!strcmp(text, "/new")) {
		loop_forget(l);
		fputs("(forgotten)\n", stderr);
		return TURN_ON;
	}
	outcome = loop_run(l, text);
	overdue_disarm();
	if (outcome != OUTCOME_CANCELLED)
		return TURN_ON;
	/* A second Ctrl-C leaves. */
	return l->insisted || fd_is_ready(l->signal_fd, POLLIN) ? TURN_END : TURN_INTERRUPTED;
}

static enum turn interactive_do_turn(struct loop *l, struct line_editor *editor, bool interrupted)
{
	auto_free char *text = NULL;

	switch (interactive_read_line(editor, &text)) {
	case LINE_END:
		return TURN_END;
	case LINE_INTERRUPTED:
		if (interrupted)
			return TURN_END;
		fputs("(Ctrl-C once more, or Ctrl-D, leaves)\n", stderr);
		return TURN_INTERRUPTED;
	case LINE_TEXT:
		return interactive_take_text(l, text);
	}
	abort();
}

int interactive_run(struct loop *l, struct err *e)
{
	char path[PATH_MAX + 16];
	struct line_editor *editor =
		line_editor_open(interactive_history_path(path, sizeof(path)), e);
	enum turn turn = TURN_ON;

	if (!editor)
		return -1;
	say_line(stderr, l->model_name);
	fputs(" on this machine's sandbox; /help says more\n", stderr);
	while (turn != TURN_END)
		turn = interactive_do_turn(l, editor, turn == TURN_INTERRUPTED);
	line_editor_close(editor);
	return 0;
}
