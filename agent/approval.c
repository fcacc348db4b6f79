/*
 * approval - a person decides whether code runs: --approve.
 */
#include "agent/approval.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "agent/tell/prompt.h"
#include "base/io.h"
#include "base/own.h"
#include "base/say.h"
#include "base/utf8.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "loop/loop.h"

#define CODE_BYTES  (1u << 20)
#define LINE_BYTES  4096 /* longest line of a terminal */
#define BETWEEN     " \t,.:;!"
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

/* -- the editor ------------------------------------------------------------------------------ */

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

/* Write the code to a file, run the editor, and read the file back. */
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

/* -- the question ---------------------------------------------------------------------------- */

/* Read a typed line, without its newline. 1; 0: end of input; -1: Ctrl-C. */
static int approval_read_line(int signal_fd, char line[LINE_BYTES])
{
	struct pollfd fds[] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = signal_fd,    .events = POLLIN},
	};
	ssize_t n;

	while (!fd_await_any(fds, 2, LOOP_NEVER))
		;
	if (fds[1].revents)
		return -1;
	n = read(STDIN_FILENO, line, LINE_BYTES - 1);
	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	return n > 0;
}

static void approval_propose(struct agent_loop *l, const char *description, const char *code)
{
	loop_tell(l, &(struct event){.kind = EVENT_PROPOSE,
				     .text = code,
				     .length = strlen(code),
				     .description = description});
}

/* The answers of a person. */
enum consent { CONSENT_YES, CONSENT_ALL, CONSENT_NO, CONSENT_EDIT, CONSENT_STOP, CONSENT_UNCLEAR };

/* Return the length of a line's first word if it is this word or its letter; else 0. */
static size_t approval_begins(const char *line, const char *word)
{
	const size_t length = strcspn(line, BETWEEN);

	return (length == 1 || length == strlen(word)) && !strncasecmp(line, word, length) ? length
											   : 0;
}

/* Match the whole line: "yes, but not so" and "a file is missing" are not consent. */
static bool approval_is(const char *line, const char *word)
{
	const size_t length = approval_begins(line, word);

	return length && !line[length + strspn(line + length, BETWEEN)];
}

/* Return the words for the model: those behind "n" or "no", or the whole of "not so fast". */
static const char *approval_words(const char *line)
{
	const char *words = line + approval_begins(line, "no");

	words += strspn(words, BETWEEN);
	return utf8_is_valid(words, strlen(words)) ? words : "";
}

static enum consent approval_judge(const char *line)
{
	if (approval_is(line, "yes"))
		return CONSENT_YES;
	if (approval_is(line, "all"))
		return CONSENT_ALL;
	if (approval_is(line, "edit"))
		return CONSENT_EDIT;
	return line[0] == 'n' || line[0] == 'N' ? CONSENT_NO : CONSENT_UNCLEAR;
}

/* @line  gets the typed line. */
static enum consent approval_hear(int signal_fd, char line[LINE_BYTES])
{
	/* Discard what was typed before the question: it is not consent. */
	tcflush(STDIN_FILENO, TCIFLUSH);
	fputs("run it? y, a (all of this task), n [why], e (edit): ", stderr);
	switch (approval_read_line(signal_fd, line)) {
	case 0:
		fputc('\n', stderr);
		return CONSENT_NO;
	case -1:
		return CONSENT_STOP;
	default:
		return approval_judge(line);
	}
}

static enum consent approval_ask(struct agent_loop *l, const char *description, char **code,
				 char line[LINE_BYTES])
{
	enum consent said;
	struct err e;

	approval_propose(l, description, *code);
	for (;;) {
		said = approval_hear(l->signal_fd, line);
		if (said == CONSENT_EDIT && approval_edit(code, &e))
			say_error(&e);
		else if (said == CONSENT_EDIT)
			approval_propose(l, description, *code);
		else if (said != CONSENT_UNCLEAR)
			return said;
	}
}

static void approval_refuse(struct task *t, const struct chat_call *call, const char *words)
{
	auto_buf struct buf text = {0};

	buf_text(&text, prompt_text(PROMPT_REFUSED));
	if (*words) {
		numbers_add(&t->loop->numbers, words, strlen(words));
		buf_printf(&text, "\nThe user says: %s", words);
	}
	round_feed_back(t, call, buf_string(&text));
}

static char *approval_note(const char *code)
{
	auto_buf struct buf note = {0};

	buf_printf(&note, "The user has changed the code. This ran:\n%s", code);
	return buf_take(&note);
}

/* false: the code must not run, and the model was told. */
static bool approval_given(struct task *t, const struct extract *what, const struct chat_call *call,
			   struct approved *out)
{
	const uint64_t asked_us = monotonic_us();
	char line[LINE_BYTES];
	const enum consent said = approval_ask(t->loop, what->description, &out->code, line);

	t->result.person_us += monotonic_us() - asked_us;
	switch (said) {
	case CONSENT_ALL:
		t->approves_all = true;
		break;
	case CONSENT_NO:
		approval_refuse(t, call, approval_words(line));
		return false;
	case CONSENT_STOP:
		(void)task_was_interrupted(t); /* consume this Ctrl-C */
		out->step = round_not_run(t, call, STEP_CANCELLED);
		return false;
	case CONSENT_YES:
	case CONSENT_EDIT:
	case CONSENT_UNCLEAR:
		break;
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
	if (t->loop->options->approve && !t->approves_all && !approval_given(t, what, call, out))
		return -1;
	loop_tell(t->loop, &(struct event){.kind = EVENT_EXECUTE,
					   .text = out->code,
					   .length = strlen(out->code),
					   .description = what->description});
	return 0;
}

bool approval_again(struct agent_loop *l, char **code, bool *all)
{
	char line[LINE_BYTES];
	enum consent said;

	if (!l->options->approve || *all)
		return true;
	said = approval_ask(l, NULL, code, line);
	*all = said == CONSENT_ALL;
	return said == CONSENT_YES || *all;
}

void approved_fini(struct approved *a)
{
	free(a->code);
	free(a->note);
}
