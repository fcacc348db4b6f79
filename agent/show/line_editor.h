/*
 * line_editor - lines that a person types, with editing and history: libedit.
 *
 * Only on a terminal; otherwise lines are read as they are, without a prompt. A line that ends in a
 * backslash continues in the next one. The user's ~/.editrc is honoured.
 *
 * Touches the OS: reads stdin, writes the prompt to stderr, keeps the history file (mode 0600),
 * sets LC_CTYPE. While it reads, libedit gets SIGINT first and then the caller.
 */
#ifndef GLOVEBOX_AGENT_LINE_EDITOR_H
#define GLOVEBOX_AGENT_LINE_EDITOR_H

#include "base/err.h"

#define LINE_EDITOR_BYTES (1u << 20) /* longest text */

struct line_editor;

enum line { LINE_TEXT, LINE_END, LINE_INTERRUPTED };

/*
 * line_editor_open - prepare to read; nothing is written yet.
 *
 * @history_path  copied; NULL: no history is kept. Its directory must exist. A history that cannot
 *                be read counts as empty.
 * Returns it, owned: line_editor_close(). NULL: the terminal cannot be used.
 */
struct line_editor *line_editor_open(const char *history_path, struct err *e);

/*
 * line_editor_read - read one text.
 *
 * @prompt  borrowed until it returns.
 * @out     LINE_TEXT: owned by the caller, valid UTF-8 without NUL, without its newline.
 * Returns LINE_INTERRUPTED when a signal came (what was typed is discarded), LINE_END at the end of
 * the input or when it cannot be read.
 */
enum line line_editor_read(struct line_editor *l, const char *prompt, char **out);

/* Write the history; a failure is silent, since nobody could do anything about it. */
void line_editor_close(struct line_editor *l);

#endif
