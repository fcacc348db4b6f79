/*
 * terminal_text - reduce a program's output to the text that a terminal would show.
 *
 * A program writes for a terminal: a progress bar overwrites its line after \r, a compiler sets
 * colours. A model reads text. This filter keeps the final state of each line:
 *
 *   \n, \t       stay. \n ends its line wherever the cursor is, so \r\n is a newline.
 *   \r, \b       move the cursor to the line's first character, or back by one. A character
 *                overwrites the one at the cursor; the tail of a longer text stays.
 *   CSI K, J     erase from the cursor to the line's end. CSI 2 K and CSI 2 J erase the line, and
 *                move the cursor to its first character (programs write \r next to them).
 *   other CSI, escapes of one character, of charsets
 *                are dropped: the cursor never leaves its line.
 *   OSC, DCS, SOS, PM, APC
 *                are dropped with their text, which ends at BEL, ESC, CAN, SUB, or with the line.
 *   other C0, DEL
 *                are dropped.
 *
 * A character is a code point, so letters of several bytes stay whole. Each invalid sequence of
 * UTF-8 becomes U+FFFD. C1 controls in UTF-8 (U+0080 to U+009F) stay: they are far more often
 * wrongly decoded text than controls, and text must not vanish because of them.
 *
 * Time is linear in the bytes. Besides `out` the filter holds one line, 4 bytes per character; at
 * most as many characters as the cap of `out`.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_TERMINAL_TEXT_H
#define GLOVEBOX_BASE_TERMINAL_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum terminal_text_state {
	TERMINAL_TEXT,
	TERMINAL_ESCAPE,  /* after ESC */
	TERMINAL_CHARSET, /* after ESC and an intermediate byte */
	TERMINAL_CSI,
	TERMINAL_STRING, /* in OSC, DCS, SOS, PM, APC */
};

/* A filtered stream. A zeroed one with its `out` is new; end it with terminal_text_fini(). */
struct terminal_text {
	struct buf *out; /* borrowed: completed lines; the caller sets its cap */
	enum terminal_text_state state;
	unsigned parameter; /* of TERMINAL_CSI */
	uint32_t *line;     /* code points; the cursor is at most at its end */
	size_t length;
	size_t capacity;
	size_t cursor;
	unsigned char held[4]; /* an incomplete character */
	size_t held_count;
};

/* terminal_text_add - filter the next bytes of the stream, which may end anywhere. */
void terminal_text_add(struct terminal_text *t, const void *bytes, size_t length);

/* terminal_text_put_line - append the incomplete last line, as it is now. */
void terminal_text_put_line(const struct terminal_text *t, struct buf *out);

/*
 * terminal_text_flush - other output follows: append the incomplete line to `out`, unless the
 * program is about to overwrite it (a progress bar), or is within an escape.
 */
void terminal_text_flush(struct terminal_text *t);

/* terminal_text_end - end the stream: append its last line to `out`. */
void terminal_text_end(struct terminal_text *t);

/* terminal_text_fini - free the filter's memory. Safe twice, and on a zeroed one. */
void terminal_text_fini(struct terminal_text *t);

/* terminal_text - append a whole text, filtered. */
void terminal_text(const void *bytes, size_t length, struct buf *out);

#endif
