/*
 * line_editor - lines that a person types, with editing and history: libedit.
 */
#include "agent/show/line_editor.h"

#include <fcntl.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/own.h"
#include "base/utf8.h"

#define HISTORY_ENTRIES 1000
#define END_OF_INPUT    4 /* Ctrl-D */

struct line_editor {
	EditLine *edit; /* NULL: not a terminal */
	History *history;
	char *history_path; /* NULL: none */
	const char *prompt; /* while a line is read */
	/* The caller's actions for the signals that end a line. */
	struct sigaction callers[2];
};

static const int ending[] = {SIGINT, SIGTERM};

static char *line_editor_prompt_of(EditLine *edit)
{
	struct line_editor *l = NULL;

	el_get(edit, EL_CLIENTDATA, &l);
	/* libedit wants a pointer to char, and does not write through it. */
	return (char *)(uintptr_t)l->prompt;
}

/*
 * Whether a signal that ends the line has come. libedit restores the caller's action before it
 * sends such a signal on; for a change of the window's size or a stopped job it does not.
 */
static bool line_editor_is_ended(const struct line_editor *l)
{
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
		struct sigaction now;

		if (!sigaction(ending[i], NULL, &now) && now.sa_handler == l->callers[i].sa_handler)
			return true;
	}
	return false;
}

/*
 * Read one byte. The signals are blocked except during the wait itself: libedit's own read would
 * miss one that comes just before it, and continue to wait. 0 at the end of the input; -1 with
 * EINTR.
 */
static int line_editor_read_byte(const struct line_editor *l, unsigned char *out)
{
	struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
	sigset_t none;
	ssize_t n;

	sigprocmask(SIG_BLOCK, NULL, &none);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		sigdelset(&none, ending[i]);
	while (ppoll(&ready, 1, NULL, &none) < 0)
		if (errno != EINTR || line_editor_is_ended(l))
			return -1;
	do
		n = read(STDIN_FILENO, out, 1);
	while (n < 0 && errno == EINTR);
	/* A Ctrl-D from before the terminal passed single characters (n_tty.c, __DISABLED_CHAR). */
	if (n > 0 && !*out)
		*out = END_OF_INPUT;
	return (int)n;
}

/* One character for libedit. What is not UTF-8 becomes U+FFFD. */
static int line_editor_read_character(EditLine *edit, wchar_t *out)
{
	struct line_editor *l = NULL;
	unsigned char bytes[4];
	size_t count = 0;
	uint32_t code;

	el_get(edit, EL_CLIENTDATA, &l);
	do {
		int n = line_editor_read_byte(l, &bytes[count]);

		if (n <= 0)
			return n;
		count++;
	} while (count < sizeof(bytes) && bytes[0] != '\r' && !escape_whole(bytes, count));
	utf8_decode(bytes, count, &code);
	*out = (wchar_t)code;
	return 1;
}

static void line_editor_read_history(struct line_editor *l)
{
	HistEvent event;
	struct stat st;

	l->history = history_init();
	if (!l->history)
		abort();
	history(l->history, &event, H_SETSIZE, HISTORY_ENTRIES);
	history(l->history, &event, H_SETUNIQUE, 1);
	/* libedit opens it by name, and would wait for ever on a FIFO. */
	if (l->history_path && !stat(l->history_path, &st) && S_ISREG(st.st_mode))
		history(l->history, &event, H_LOAD, l->history_path);
}

static int line_editor_open_edit(struct line_editor *l, struct err *e)
{
	l->edit = el_init_fd("glovebox", stdin, stderr, stderr, STDIN_FILENO, STDERR_FILENO,
			     STDERR_FILENO);
	if (!l->edit)
		return err_set(e, ERR_SYSTEM, "start the line editor");
	el_set(l->edit, EL_CLIENTDATA, l);
	el_set(l->edit, EL_PROMPT, line_editor_prompt_of);
	el_set(l->edit, EL_EDITOR, "emacs");
	el_set(l->edit, EL_SIGNAL, 1);
	el_wset(l->edit, EL_GETCFN, line_editor_read_character);
	el_set(l->edit, EL_HIST, history, l->history);
	el_set(l->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_source(l->edit, NULL);
	return 0;
}

/* The locale decides how characters beyond ASCII are read: without one, use UTF-8. */
static void line_editor_choose_locale(void)
{
	if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
		setlocale(LC_CTYPE, "C.UTF-8");
}

struct line_editor *line_editor_open(const char *history_path, struct err *e)
{
	struct line_editor *l = own_zeroed(1, sizeof(*l));

	l->history_path = own_strdup(history_path);
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return l;
	line_editor_choose_locale();
	line_editor_read_history(l);
	if (line_editor_open_edit(l, e)) {
		line_editor_close(l);
		return NULL;
	}
	return l;
}

/* Read one line from a terminal. */
static enum line line_editor_edit_line(struct line_editor *l, struct buf *out)
{
	int count = 0;
	sigset_t blocked;
	sigset_t before;
	const char *line;
	bool interrupted;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
		sigaddset(&blocked, ending[i]);
		sigaction(ending[i], NULL, &l->callers[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, &before);
	line = el_gets(l->edit, &count);
	/* -1: a signal, or the terminal is gone; 0: Ctrl-D. */
	interrupted = count < 0 && errno == EINTR;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!line || count <= 0) {
		fputs("\n", stderr);
		return interrupted ? LINE_INTERRUPTED : LINE_END;
	}
	buf_add(out, line, strlen(line));
	return LINE_TEXT;
}

/* Read one line from anything else. */
static enum line line_editor_plain_line(struct buf *out)
{
	auto_free char *line = NULL;
	size_t size = 0;
	ssize_t n = getline(&line, &size, stdin);

	if (n < 0) {
		bool interrupted = ferror(stdin) && errno == EINTR;

		clearerr(stdin);
		return interrupted ? LINE_INTERRUPTED : LINE_END;
	}
	buf_add(out, line, (size_t)n);
	return LINE_TEXT;
}

static bool line_editor_ends_with(const struct buf *b, char c)
{
	return b->length && b->data[b->length - 1] == c;
}

static void line_editor_remember(struct line_editor *l, const char *text)
{
	HistEvent event;

	if (l->edit && text[strspn(text, " \t\n")])
		history(l->history, &event, H_ENTER, text);
}

enum line line_editor_read(struct line_editor *l, const char *prompt, char **out)
{
	auto_buf struct buf text = {.cap = LINE_EDITOR_BYTES};
	auto_buf struct buf clean = {0};

	l->prompt = prompt;
	for (;;) {
		enum line line =
			l->edit ? line_editor_edit_line(l, &text) : line_editor_plain_line(&text);

		if (line == LINE_INTERRUPTED || (line == LINE_END && !text.length))
			return line;
		if (line_editor_ends_with(&text, '\n'))
			buf_cut(&text, text.length - 1);
		if (line_editor_ends_with(&text, '\r'))
			buf_cut(&text, text.length - 1);
		if (line == LINE_END || text.truncated || !line_editor_ends_with(&text, '\\'))
			break;
		text.data[text.length - 1] = '\n';
		l->prompt = "... ";
	}
	buf_utf8(&clean, buf_string(&text), text.length);
	*out = buf_take(&clean);
	line_editor_remember(l, *out);
	return LINE_TEXT;
}

/* Written beside the old one first, so that a full disk does not cost the whole history. */
static void line_editor_write_history(struct line_editor *l)
{
	auto_buf struct buf path = {0};
	HistEvent event;
	FILE *file;
	int fd;

	buf_printf(&path, "%s.new", l->history_path);
	fd = open(path.data, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file)
		return;
	history(l->history, &event, H_SAVE_FP, file);
	if (!fclose(file))
		rename(path.data, l->history_path);
}

void line_editor_close(struct line_editor *l)
{
	if (l->edit)
		el_end(l->edit);
	if (l->history && l->history_path)
		line_editor_write_history(l);
	if (l->history)
		history_end(l->history);
	free(l->history_path);
	free(l);
}
