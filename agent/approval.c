/*
 * approval - a person decides whether code runs: --approve.
 */
#include "agent/approval.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "agent/tell/prompt.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/io.h"
#include "base/loop.h"
#include "base/own.h"
#include "base/say.h"
#include "base/utf8.h"

#define CODE_BYTES  (1u << 20)
#define LINE_BYTES  200
#define EDITOR_LINE "${VISUAL:-${EDITOR:-vi}} \"$1\""

int approval_check(const struct agent_options *o, struct err *e)
{
	if (!o->approve)
		return 0;
	if (o->json)
		return err_input(e, "--approve asks a person, and --json is for programs");
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO)
		       ? 0
		       : err_input(e, "--approve needs a terminal, to ask there");
}

/* -- the editor ------------------------------------------------------------------------- */

static void approval_exec_editor(const char *path)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	execl("/bin/sh", "sh", "-c", EDITOR_LINE, "sh", path, (char *)NULL);
	_exit(127);
}

static int approval_run_editor(const char *path, struct err *e)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return err_sys(e, "start an editor");
	if (!pid)
		approval_exec_editor(path);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, "wait for the editor");
	return status ? err_input(e, "the editor has failed: the code is as it was") : 0;
}

/* Write it to the file, have that edited, and read it back. */
static int approval_edit_file(int fd, const char *path, char **code, struct err *e)
{
	auto_buf struct buf text = {0};

	if (io_write_all(fd, *code, strlen(*code)))
		return err_sys(e, "write %s", path);
	if (approval_run_editor(path, e) || io_read_file(AT_FDCWD, path, CODE_BYTES, &text, e))
		return -1;
	if (!utf8_is_valid(buf_string(&text), text.length) ||
	    strlen(buf_string(&text)) != text.length)
		return err_input(e, "the code is not text in UTF-8 any more");
	free(*code);
	*code = own_strdup(buf_string(&text));
	return 0;
}

static int approval_edit(char **code, struct err *e)
{
	const char *folder = getenv("TMPDIR");
	auto_buf struct buf path = {0};
	auto_fd int fd = -1;
	int status;

	buf_printf(&path, "%s/glovebox-XXXXXX.py", folder && *folder ? folder : "/tmp");
	fd = mkostemps(path.data, 3, O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "make %.300s", path.data);
	status = approval_edit_file(fd, path.data, code, e);
	unlink(path.data);
	return status;
}

/* -- the question ----------------------------------------------------------------------- */

/* The first letter of a line that is typed; 0: the input has ended; -1: Ctrl-C. */
static int approval_read_letter(int signal_fd)
{
	struct pollfd fds[] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = signal_fd,    .events = POLLIN},
	};
	char line[LINE_BYTES];
	ssize_t n;

	while (!fd_await_any(fds, 2, LOOP_NEVER))
		;
	if (fds[1].revents)
		return -1;
	n = read(STDIN_FILENO, line, sizeof(line));
	return n <= 0 ? 0 : (unsigned char)line[0];
}

static void approval_propose(struct agent_loop *l, const char *description, const char *code)
{
	loop_tell(l, &(struct event){.kind = EVENT_PROPOSE,
				     .text = code,
				     .length = strlen(code),
				     .description = description});
}

/* What a person says. */
enum consent { CONSENT_YES, CONSENT_NO, CONSENT_STOP };

static enum consent approval_ask(struct agent_loop *l, const char *description, char **code)
{
	struct err e;

	approval_propose(l, description, *code);
	for (;;) {
		/* What was typed before there was a question is no consent. */
		tcflush(STDIN_FILENO, TCIFLUSH);
		fputs("run it? y, n, e (edit): ", stderr);
		switch (approval_read_letter(l->signal_fd)) {
		case 'y':
		case 'Y':
			return CONSENT_YES;
		case 'n':
		case 'N':
			return CONSENT_NO;
		case 'e':
		case 'E':
			if (approval_edit(code, &e))
				say_error(&e);
			else
				approval_propose(l, description, *code);
			break;
		case 0:
			fputc('\n', stderr);
			return CONSENT_NO;
		case -1:
			return CONSENT_STOP;
		default:
			break;
		}
	}
}

static char *approval_note(const char *code)
{
	auto_buf struct buf note = {0};

	buf_printf(&note, "The user has changed the code. This ran:\n%s", code);
	return buf_take(&note);
}

/* false: it must not run, and the model was told. */
static bool approval_given(struct task *t, const struct extract *what, const struct chat_call *call,
			   struct approved *out)
{
	const uint64_t asked_us = monotonic_us();
	const enum consent said = approval_ask(t->loop, what->description, &out->code);

	t->result.person_us += monotonic_us() - asked_us;
	switch (said) {
	case CONSENT_YES:
		break;
	case CONSENT_NO:
		round_feed_back(t, call, prompt_text(PROMPT_REFUSED));
		return false;
	case CONSENT_STOP:
		(void)task_was_interrupted(t); /* this Ctrl-C has been heard */
		out->step = round_not_run(t, call, STEP_CANCELLED);
		return false;
	}
	if (strcmp(out->code, what->code) != 0) {
		free(out->note);
		out->note = approval_note(out->code);
	}
	return true;
}

int approval_get(struct task *t, const struct extract *what, const struct chat_call *call,
		 struct approved *out)
{
	*out = (struct approved){
		.step = STEP_ON, .code = own_strdup(what->code), .note = own_strdup(what->note)};
	if (t->loop->options->approve && !approval_given(t, what, call, out))
		return -1;
	loop_tell(t->loop, &(struct event){.kind = EVENT_EXECUTE,
					   .text = out->code,
					   .length = strlen(out->code),
					   .description = what->description});
	return 0;
}

void approved_fini(struct approved *a)
{
	free(a->code);
	free(a->note);
}
