/*
 * buf - a growing byte buffer with a cap; writes text and JSON.
 *
 * A buffer never grows past `cap` (0: no cap): it drops further bytes and sets `truncated`. Its
 * memory comes from own_resize(), which never fails.
 *
 * buf_json_string() writes any byte sequence as a valid, pure-ASCII JSON string: NUL is \u0000,
 * invalid UTF-8 (encoded surrogates too) is U+FFFD, everything beyond ASCII is \uXXXX. Raw text
 * breaks clients of a stream: some decode each read alone, some split lines at U+2028.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_BUF_H
#define GLOVEBOX_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data; /* `length` bytes, then a NUL that does not count; NULL when empty */
	size_t length;
	size_t capacity;
	size_t cap; /* the most bytes it may hold; 0: no cap */
	bool truncated;
};

void buf_fini(struct buf *b);
void buf_add(struct buf *b, const void *bytes, size_t length);
void buf_text(struct buf *b, const char *text);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* Append any bytes as UTF-8 without NUL: U+FFFD replaces a NUL and each invalid sequence. */
void buf_utf8(struct buf *b, const void *bytes, size_t length);

void buf_json_string(struct buf *b, const void *bytes, size_t length);
void buf_json_text(struct buf *b, const char *text); /* NULL becomes null */

/* Append one code point as it appears inside such a string. */
void buf_json_code(struct buf *b, uint32_t code);

/* The content as a C string, never NULL; borrowed from the buffer. */
const char *buf_string(const struct buf *b);

/* Hand the content over to the caller, who frees it; the buffer is empty afterwards. */
char *buf_take(struct buf *b);

/* Keep the first `length` bytes; a shorter buffer stays as it is. */
void buf_cut(struct buf *b, size_t length);

#define auto_buf __attribute__((cleanup(buf_fini)))

#endif
