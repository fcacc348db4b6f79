/*
 * line_editor - read lines that a person types, with editing and history (libedit).
 */
#include "prompt/line_editor.h"

#include <fcntl.h>
#include <histedit.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/own.h"
#include "base/process.h"
#include "base/utf8.h"
#include "fs/replaced_file.h"
#include "prompt/candidates.h"
#include "prompt/input.h"

#define HISTORY_ENTRIES 1000
#define END_OF_INPUT    4 /* Ctrl-D */

/* Sequences that turn bracketed paste on and off, and that a terminal sends around a paste. */
#define PASTE_ASK   "\033[?2004h"
#define PASTE_LEAVE "\033[?2004l"
#define PASTE_BEGIN "\033[200~"
#define PASTE_END   "\033[201~"

struct line_editor {
	EditLine *edit; /* NULL: not a terminal */
	History *history;
	char *history_path;                      /* NULL: none */
	const char *prompt;                      /* while a line is read */
	const struct line_editor_helper *helper; /* NULL: lines are not code */
	bool typed;                              /* something was typed since the line began */
	bool has_looked;                         /* checked for input typed before the line began */
	bool typed_ahead;                        /* such input exists, and may be anything */
	struct input input;
};

static char *line_editor_prompt_of(EditLine *edit)
{
	struct line_editor *l = NULL;

	el_get(edit, EL_CLIENTDATA, &l);
	/* Input that waits before the first prompt is shown was typed ahead. */
	if (!l->has_looked)
		l->typed_ahead |= input_is_ready(&l->input);
	l->has_looked = true;
	/* libedit takes a pointer to char, but does not write through it. */
	return (char *)(uintptr_t)l->prompt;
}

/* Read one character for libedit. Invalid UTF-8 becomes U+FFFD. */
static int line_editor_read_character(EditLine *edit, wchar_t *out)
{
	struct line_editor *l = NULL;
	unsigned char bytes[4];
	size_t count = 0;
	uint32_t code;

	el_get(edit, EL_CLIENTDATA, &l);
	do {
		int n = input_read(&l->input, &bytes[count]);

		if (l->input.resized)
			el_resize(edit);
		l->input.resized = false;
		if (n <= 0)
			return n;
		/* A Ctrl-D from before the terminal passed single characters (n_tty.c,
		 * __DISABLED_CHAR). */
		if (!bytes[count])
			bytes[count] = END_OF_INPUT;
		count++;
	} while (count < sizeof(bytes) && bytes[0] != '\r' && !escape_whole(bytes, count));
	utf8_decode(bytes, count, &code);
	*out = (wchar_t)code;
	l->typed = true;
	return 1;
}

/* Read a paste up to its end mark. A signal ends it, too. */
static void line_editor_read_paste(struct line_editor *l, struct buf *out)
{
	static const size_t end = sizeof(PASTE_END) - 1;
	char last[sizeof(PASTE_END) - 1] = {0};
	unsigned char byte;

	while (input_read(&l->input, &byte) > 0) {
		memmove(last, last + 1, end - 1);
		last[end - 1] = (char)byte;
		buf_add(out, &byte, 1);
		if (!memcmp(last, PASTE_END, end)) {
			/*
			 * A paste beyond the cap lacks its end mark: cut after a whole character
			 * instead.
			 */
			buf_cut(out, out->truncated ? escape_whole(out->data, out->length)
						    : out->length - end);
			return;
		}
	}
}

/*
 * Insert a paste into the line, with its newlines; other control characters would act as commands
 * later.
 */
static unsigned char line_editor_paste(EditLine *edit, wint_t key)
{
	auto_buf struct buf text = {.cap = LINE_EDITOR_BYTES};
	struct line_editor *l = NULL;
	auto_free wchar_t *wide = NULL;
	size_t count = 0;

	(void)key;
	el_get(edit, EL_CLIENTDATA, &l);
	line_editor_read_paste(l, &text);
	wide = own_zeroed(text.length + 1, sizeof(*wide));
	for (size_t i = 0; i < text.length;) {
		uint32_t code;

		i += utf8_decode((const unsigned char *)text.data + i, text.length - i, &code);
		if (code == '\r')
			code = '\n';
		if (code == '\n' || code == '\t' || !escape_hides(code))
			wide[count++] = (wchar_t)code;
	}
	while (count && wide[count - 1] == L'\n')
		count--;
	wide[count] = L'\0';
	return el_winsertstr(edit, wide) && count ? CC_REFRESH_BEEP : CC_REFRESH;
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
	/* libedit opens it by name, and would block on a FIFO; so would our own write. */
	if (l->history_path && !stat(l->history_path, &st) && !S_ISREG(st.st_mode))
		own_free(&l->history_path);
	if (l->history_path)
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
	el_wset(l->edit, EL_ADDFN, L"glovebox-paste", L"Insert what was pasted", line_editor_paste);
	el_set(l->edit, EL_BIND, PASTE_BEGIN, "glovebox-paste", NULL);
	el_source(l->edit, NULL);
	return 0;
}

struct line_editor *line_editor_open(const char *history_path, int signal_fd, struct err *e)
{
	struct line_editor *l = own_zeroed(1, sizeof(*l));

	l->input = input_open(signal_fd);
	l->history_path = own_strdup(history_path);
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return l;
	process_choose_locale();
	line_editor_read_history(l);
	if (line_editor_open_edit(l, e)) {
		line_editor_close(l);
		return NULL;
	}
	return l;
}

static void line_editor_ask_for_paste(const char *sequence)
{
	const char *term = getenv("TERM");

	if (term && term[0] && strcmp(term, "dumb") != 0)
		fputs(sequence, stderr);
}

/* Read one line from a terminal. */
static enum line line_editor_edit_line(struct line_editor *l, struct buf *out)
{
	int count = 0;
	const char *line;
	enum line without;

	l->typed = l->has_looked = false;
	line_editor_ask_for_paste(PASTE_ASK);
	line = el_gets(l->edit, &count);
	/* -1: a signal, or the terminal is gone; 0: Ctrl-D. */
	without = count < 0 && errno == EINTR ? LINE_INTERRUPTED : LINE_END;
	line_editor_ask_for_paste(PASTE_LEAVE);
	if (!line || count <= 0) {
		fputs("\n", stderr);
		return without == LINE_INTERRUPTED && l->typed ? LINE_CLEARED : without;
	}
	buf_add(out, line, strlen(line));
	return LINE_TEXT;
}

/* Read one line from other input. */
static enum line line_editor_plain_line(struct line_editor *l, struct buf *out)
{
	size_t before = out->length;
	unsigned char byte = 0;

	while (byte != '\n') {
		int n = input_next(&l->input, &byte);

		if (n < 0 && errno == EINTR)
			return LINE_INTERRUPTED;
		if (n <= 0)
			return out->length > before ? LINE_TEXT : LINE_END;
		buf_add(out, &byte, 1);
	}
	return LINE_TEXT;
}

static bool line_editor_ends_with(const struct buf *b, char c)
{
	return b->length && b->data[b->length - 1] == c;
}

static void line_editor_remember(struct line_editor *l, const char *text)
{
	HistEvent event;

	/* Do not remember text that no code has read: it may have been a password. */
	if (l->helper && l->typed_ahead)
		return;
	if (l->edit && text[strspn(text, " \t\n")])
		history(l->history, &event, H_ENTER, text);
}

enum line line_editor_read(struct line_editor *l, const char *prompt, char **out)
{
	auto_buf struct buf text = {.cap = LINE_EDITOR_BYTES};
	auto_buf struct buf clean = {0};

	l->prompt = prompt;
	l->typed_ahead = false;
	for (;;) {
		enum line line = l->edit ? line_editor_edit_line(l, &text)
					 : line_editor_plain_line(l, &text);

		if (line == LINE_INTERRUPTED && text.length)
			return LINE_CLEARED;
		if (line != LINE_TEXT && (line != LINE_END || !text.length))
			return line;
		if (line_editor_ends_with(&text, '\n'))
			buf_cut(&text, text.length - 1);
		if (line_editor_ends_with(&text, '\r'))
			buf_cut(&text, text.length - 1);
		if (line == LINE_END || text.truncated || l->helper ||
		    !line_editor_ends_with(&text, '\\'))
			break;
		text.data[text.length - 1] = '\n';
		l->prompt = "... ";
	}
	buf_utf8(&clean, buf_string(&text), text.length);
	*out = buf_take(&clean);
	line_editor_remember(l, *out);
	return LINE_TEXT;
}

/* Replace it as a whole, so that a full disk does not cost the whole history. */
static void line_editor_write_history(struct line_editor *l)
{
	struct replaced_file out;
	struct err ignored;
	HistEvent event;
	FILE *file;
	bool whole;

	if (replaced_file_open(&out, written_path(l->history_path), LINKS_OF_CALLER, 0600,
			       &ignored))
		return;
	file = fdopen(fcntl(out.fd, F_DUPFD_CLOEXEC, 0), "w");
	if (file)
		history(l->history, &event, H_SAVE_FP, file);
	whole = file && !fclose(file);
	(void)replaced_file_end(&out, whole);
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
	input_close(&l->input);
	free(l);
}

int line_editor_signal(const struct line_editor *l)
{
	return l->input.signal;
}

/* -- lines of code --------------------------------------------------------------------------- */

void line_editor_push(struct line_editor *l, const char *text)
{
	input_push(&l->input, text);
}

static unsigned char line_editor_complete(EditLine *edit, int key)
{
	auto_free char *name = candidates_name(el_line(edit)->buffer, el_line(edit)->cursor);
	auto_buf struct buf found = {0};
	auto_free char *rest = NULL;
	struct line_editor *l = NULL;
	size_t common;

	(void)key;
	if (!*name)
		return el_insertstr(edit, "    ") ? CC_ERROR : CC_REFRESH;
	el_get(edit, EL_CLIENTDATA, &l);
	l->helper->complete(l->helper->context, name, &found);
	common = candidates_common(buf_string(&found));
	if (!found.length || common < strlen(name))
		return CC_ERROR;
	if (common == strlen(name)) {
		candidates_list(buf_string(&found));
		return CC_REDISPLAY;
	}
	rest = own_strndup(buf_string(&found) + strlen(name), common - strlen(name));
	return el_insertstr(edit, rest) ? CC_ERROR : CC_REFRESH;
}

void line_editor_take_code(struct line_editor *l, const struct line_editor_helper *helper)
{
	l->helper = helper;
	if (!l->edit)
		return;
	el_set(l->edit, EL_ADDFN, "glovebox-complete", "complete a name", line_editor_complete);
	el_set(l->edit, EL_BIND, "^I", "glovebox-complete", NULL);
}
