/*
 * interactive - a conversation at a terminal.
 */
#include "agent/interactive.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/command.h"
#include "agent/greeting.h"
#include "agent/overdue.h"
#include "agent/resume.h"
#include "base/own.h"
#include "loop/fd.h"
#include "prompt/history.h"
#include "prompt/line_editor.h"

static enum turn interactive_do_task(struct talk *t, const char *text)
{
	struct agent_loop *l = t->loop;
	enum outcome outcome;

	talk_mark(t);
	outcome = loop_run(l, text);
	overdue_disarm();
	resume_save(l);
	/* A second Ctrl-C before the prompt ends the conversation; a first one does not. */
	return outcome == OUTCOME_CANCELLED && (l->insisted || fd_is_ready(l->signal_fd, POLLIN))
		       ? TURN_END
		       : TURN_ON;
}

static enum turn interactive_do_turn(struct talk *t, struct line_editor *editor, bool interrupted)
{
	auto_free char *text = NULL;

	switch (line_editor_read(editor, "> ", &text)) {
	case LINE_END:
		return TURN_END;
	case LINE_CLEARED:
		return TURN_ON;
	case LINE_INTERRUPTED:
		if (interrupted)
			return TURN_END;
		fputs("(Ctrl-C once more, or Ctrl-D, leaves)\n", stderr);
		return TURN_INTERRUPTED;
	case LINE_TEXT:
		if (!text[strspn(text, " \t\n")])
			return TURN_ON;
		return command_is(text) ? command_run(t, text) : interactive_do_task(t, text);
	}
	abort();
}

int interactive_run(struct agent_loop *l, struct err *e)
{
	char path[PATH_MAX + 16];
	struct line_editor *editor = line_editor_open(
		history_path("agent-history", path, sizeof(path)), l->signal_fd, e);
	auto_buf struct buf greeting = {0};
	struct talk talk = {.loop = l};
	enum turn turn = TURN_ON;

	if (!editor)
		return -1;
	greeting_write(l, &greeting);
	fprintf(stderr, "%s\n", buf_string(&greeting));
	while (turn != TURN_END)
		turn = interactive_do_turn(&talk, editor, turn == TURN_INTERRUPTED);
	line_editor_close(editor);
	talk_fini(&talk);
	return 0;
}
