/*
 * escape - any bytes made safe for a terminal: nothing of a stranger moves the cursor, sets
 * a colour, rings, or turns the reading order. A stranger is a program inside, a model, an
 * archive, a server, another user; what of theirs is printed by us goes through here.
 *
 * What passes: printable UTF-8, newline, tab. CR LF becomes newline. Everything else is
 * shown in Python's notation: \r, \x1b, \x9b, \u202e. That is control characters of C0 and
 * C1, DEL, the embeddings, overrides and isolates of the bidirectional algorithm, line and
 * paragraph separators, tag characters, non-characters, and each byte that is not UTF-8.
 * What is printed as a line, a name above all, shows more: see escape_line().
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_ESCAPE_H
#define GLOVEBOX_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Between two pieces of a stream: bytes that may be the beginning of a character. */
struct escape {
	char held[4];
	size_t held_count;
};

/* The next piece of a stream; a character may be cut anywhere. Zero is a fresh `s`. */
void escape_add(struct escape *s, const void *bytes, size_t length, struct buf *out);

/* The stream is over: what is still held is no character. */
void escape_end(struct escape *s, struct buf *out);

/* All at once. */
void escape_text(const void *bytes, size_t length, struct buf *out);

/*
 * The same in one line: newline and tab are shown, too (\n, \t), the marks of direction
 * (U+061C, U+200E, U+200F), which prose needs, and what takes no room (U+200B, U+00AD).
 */
void escape_line(const void *bytes, size_t length, struct buf *out);

/*
 * escape_whole - how many of these bytes do not end inside a character (or between CR and
 * LF): at most three fewer than `length`.
 */
size_t escape_whole(const void *bytes, size_t length);

#endif
