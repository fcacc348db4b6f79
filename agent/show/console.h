/*
 * console - output for people: capabilities and width of the terminal, and a status line below the
 * text that is always erased again.
 *
 * Takes text that is safe already (from escape.c, or ours). If the output is not a terminal, and
 * with TERM=dumb, only plain text is written. NO_COLOR removes only colours.
 *
 * The status is on the line below the cursor, and the cursor never leaves the text. Before more
 * text is written everything below the cursor is erased, so a resized window does no harm. The
 * window's width is read each time.
 *
 * Touches the OS: writes to its descriptor, reads the environment when it is opened.
 */
#ifndef GLOVEBOX_AGENT_CONSOLE_H
#define GLOVEBOX_AGENT_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum style {
	STYLE_PLAIN,
	STYLE_DIM,
	STYLE_HEAD, /* announces what follows */
	STYLE_ERROR,
	STYLE_WARN,
	STYLE_BOLD,
	STYLE_ITALIC,
	STYLE_CODE,
};

struct console {
	int fd;        /* borrowed */
	bool terminal; /* the cursor can be moved */
	bool colour;
	int error;     /* errno of the first failed write, which is the last one; 0 */
	size_t column; /* of the cursor, from 0; the window's width: at its edge */
	bool status_drawn;
	struct buf pending; /* not written yet */
	struct buf status;  /* status line; empty: none */
};

/* @fd  borrowed. Writes nothing. */
void console_open(struct console *c, int fd);

/* Erase the status line, end an unfinished line, and free; the descriptor stays open. */
void console_close(struct console *c);

/* Add text of one style, which console_flush() writes. */
void console_add(struct console *c, enum style style, const char *text, size_t length);
void console_text(struct console *c, enum style style, const char *text);
void console_printf(struct console *c, enum style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Add a line with our own SGR sequences (highlight.c), and a newline. */
void console_painted(struct console *c, const struct buf *line);

/* Start a new line unless the cursor is at the beginning of one. */
void console_fresh_line(struct console *c);

/* The terminal has echoed a key: assume that the cursor is in the middle of a line. */
void console_echoed(struct console *c);

/*
 * console_status - set the status line for the next flush; cut to the width.
 * @text  one line of safe text; NULL: none.
 */
void console_status(struct console *c, const char *text);

/* Write pending text, then the status line. */
void console_flush(struct console *c);

/*
 * console_cut - return the longest prefix of UTF-8 text that fits; *used: its columns.
 *
 * libunistring knows the width of characters; wcwidth(3) requires a UTF-8 locale.
 */
size_t console_cut(const char *text, size_t length, size_t columns, size_t *used);

/* Return the columns of the window; 80 if unknown. */
size_t console_width(const struct console *c);

#endif
