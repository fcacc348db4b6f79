/*
 * console - one output for people: its abilities, its width, and a status line that is always below
 * the text and never stays behind.
 *
 * Takes text that is safe already (escape.c, or ours). If it is not a terminal, and with TERM=dumb,
 * only plain text is written. NO_COLOR removes the colours, nothing else.
 *
 * The status line is on the line below the cursor, and the cursor never leaves the text. Before
 * more text everything below the cursor is erased, so that a change of the window's size in between
 * is harmless. The window's width is read each time.
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
	STYLE_HEAD, /* what will happen next */
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
	int error;     /* errno of a failed write, after which nothing is written; 0 */
	size_t column; /* of the cursor, from 0; the window's width: at its edge */
	bool status_drawn;
	struct buf pending; /* not written yet */
	struct buf status;  /* the line below; empty: none */
};

/* @fd is borrowed. Nothing is written. */
void console_open(struct console *c, int fd);

/* Erase the status line, end an unfinished line, and free; the descriptor stays open. */
void console_close(struct console *c);

/* Add text of one style. Written by console_flush(). */
void console_add(struct console *c, enum style style, const char *text, size_t length);
void console_text(struct console *c, enum style style, const char *text);
void console_printf(struct console *c, enum style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A line with SGR sequences of ours, as highlight.c makes them, and a newline after it. */
void console_painted(struct console *c, const struct buf *line);

/* Go to the beginning of a line. */
void console_fresh_line(struct console *c);

/* The terminal has echoed a key: the cursor may be in the middle of a line. */
void console_echoed(struct console *c);

/*
 * console_status - the status line from the next flush on; cut to the width.
 * @text  one line of safe text; NULL: none.
 */
void console_status(struct console *c, const char *text);

/* Write what is pending, then the status line. */
void console_flush(struct console *c);

/*
 * console_cut - the length of the longest prefix of UTF-8 text that fits; *used: its columns.
 *
 * libunistring knows the width of a character; wcwidth(3) would need a locale of UTF-8 to be set.
 */
size_t console_cut(const char *text, size_t length, size_t columns, size_t *used);

/* Columns of the window; 80 if unknown. */
size_t console_width(const struct console *c);

#endif
