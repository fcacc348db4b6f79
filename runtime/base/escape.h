/*
 * escape - make any bytes safe for a terminal.
 *
 * Untrusted text must not move the cursor, set a colour, ring the bell or change the reading order.
 * It comes from a program in a sandbox, a model, an archive, a server, another user; we print it
 * through these functions.
 *
 * Printable UTF-8, newline and tab pass. CR LF becomes newline. All other bytes are shown in
 * Python's notation (\r, \x1b, \x9b, \u202e): control characters of C0 and C1, DEL, the embeddings,
 * overrides and isolates of the bidirectional algorithm, line and paragraph separators, tag
 * characters, non-characters, and each byte that is not UTF-8. Single lines, names above all,
 * escape more: see escape_line().
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_ESCAPE_H
#define GLOVEBOX_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* State between two pieces of a stream: an incomplete character. */
struct escape {
	char held[4];
	size_t held_count;
};

/* Add the next piece of a stream; a character may be cut anywhere. A zeroed `s` is a new stream. */
void escape_add(struct escape *s, const void *bytes, size_t length, struct buf *out);

/* End the stream: write an incomplete character as bytes. */
void escape_end(struct escape *s, struct buf *out);

/* Write a whole text at once. */
void escape_text(const void *bytes, size_t length, struct buf *out);

/*
 * The same for a single line. It also escapes newline and tab (\n, \t), the direction marks that
 * prose needs (U+061C, U+200E, U+200F), and characters without width (U+200B, U+00AD).
 */
void escape_line(const void *bytes, size_t length, struct buf *out);

/* Whether escape_line() shows a code point as an escape. */
bool escape_hides(uint32_t code);

/*
 * escape_whole - how many of these bytes do not end inside a character (or between CR and LF): at
 * most three less than `length`.
 */
size_t escape_whole(const void *bytes, size_t length);

#endif
