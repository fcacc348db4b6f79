/*
 * line_editor - read lines that a person types, with editing and history (libedit).
 *
 * On other input than a terminal it reads plain lines, without a prompt. A line that ends in a
 * backslash continues in the next one, and a paste is one text, with all its lines. It honours the
 * user's ~/.editrc.
 *
 * Touches the OS: reads stdin, writes the prompt to stderr, keeps the history file (mode 0600),
 * sets LC_CTYPE.
 */
#ifndef GLOVEBOX_PROMPT_LINE_EDITOR_H
#define GLOVEBOX_PROMPT_LINE_EDITOR_H

#include "base/buf.h"
#include "base/err.h"

#define LINE_EDITOR_BYTES (1u << 20) /* longest text */

struct line_editor;

enum line { LINE_TEXT, LINE_END, LINE_INTERRUPTED, LINE_CLEARED };

/*
 * line_editor_open - prepare to read; writes nothing yet.
 *
 * @history_path  copied; NULL: keep no history. Its directory must exist. An unreadable history
 *                counts as empty.
 * @signal_fd     signalfd(2), non-blocking, of signals that are blocked: each but a change of the
 *                window's size ends a line. Borrowed until line_editor_close().
 * Returns it, owned: line_editor_close(). NULL: the terminal cannot be used.
 */
struct line_editor *line_editor_open(const char *history_path, int signal_fd, struct err *e);

/*
 * line_editor_read - read one text.
 *
 * @prompt  borrowed until it returns.
 * @out     LINE_TEXT: owned by the caller, valid UTF-8 without NUL, without its newline.
 * Returns LINE_INTERRUPTED: a signal came; LINE_CLEARED: it discarded typed text; LINE_END: end of
 * input, or it cannot be read.
 */
enum line line_editor_read(struct line_editor *l, const char *prompt, char **out);

/* Supplies completions: whole names, a line each, that begin with the name before the cursor. */
struct line_editor_helper {
	void (*complete)(void *context, const char *name, struct buf *out);
	void *context;
};

/*
 * line_editor_take_code - read lines of Python from now on: a backslash has no meaning, and Tab
 * completes a name, or indents without one. Text typed before the prompt is not remembered: code
 * might have asked for it.
 * @helper  borrowed until line_editor_close().
 */
void line_editor_take_code(struct line_editor *l, const struct line_editor_helper *helper);

/* The signal that made line_editor_read() return LINE_INTERRUPTED or LINE_CLEARED. */
int line_editor_signal(const struct line_editor *l);

/* Push text as if typed before all other input. Copied. Only on a terminal. */
void line_editor_push(struct line_editor *l, const char *text);

/* Write the history; ignores failures, which the caller could not repair. */
void line_editor_close(struct line_editor *l);

#endif
