/*
 * line_editor - lines that a person types, with editing and history: libedit.
 *
 * Only on a terminal; otherwise lines are read as they are, without a prompt. A line that ends in a
 * backslash continues in the next one, and what is pasted is one text, whatever lines it has. The
 * user's ~/.editrc is honoured.
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
 * line_editor_open - prepare to read; nothing is written yet.
 *
 * @history_path  copied; NULL: no history is kept. Its directory must exist. A history that cannot
 *                be read counts as empty.
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
 * Returns LINE_INTERRUPTED when a signal came, LINE_CLEARED when that has discarded what was typed,
 * LINE_END at the end of the input or when it cannot be read.
 */
enum line line_editor_read(struct line_editor *l, const char *prompt, char **out);

/* What a completion may be: whole names, a line each, that begin with the name before the cursor.
 */
struct line_editor_helper {
	void (*complete)(void *context, const char *name, struct buf *out);
	void *context;
};

/*
 * line_editor_take_code - from now on it reads lines of Python: a backslash has no meaning, and Tab
 * completes a name or, where there is none, indents. What was typed before the prompt was there is
 * not remembered: code might have asked for it.
 * @helper  borrowed until line_editor_close().
 */
void line_editor_take_code(struct line_editor *l, const struct line_editor_helper *helper);

/* The signal that made line_editor_read() return LINE_INTERRUPTED or LINE_CLEARED. */
int line_editor_signal(const struct line_editor *l);

/* As if it were typed, before all else that is. Copied. Only on a terminal. */
void line_editor_push(struct line_editor *l, const char *text);

/* Write the history; a failure is silent, since nobody could do anything about it. */
void line_editor_close(struct line_editor *l);

#endif
