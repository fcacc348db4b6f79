/*
 * utf8 - encode and decode one code point at a time, by RFC 3629. No side effects.
 */
#ifndef GLOVEBOX_BASE_UTF8_H
#define GLOVEBOX_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * utf8_decode - decode one code point: no overlong forms, no surrogates, nothing above U+10FFFF.
 *
 * @left  bytes at p, at least 1.
 * Returns the bytes used. An invalid sequence uses the longest part that could
 * have begun a character, and *code becomes U+FFFD (Python's errors="replace").
 */
size_t utf8_decode(const unsigned char *p, size_t left, uint32_t *code);

/* Whether the U+FFFD that utf8_decode() returned for `used` bytes at p replaces invalid bytes. */
bool utf8_is_substitute(const unsigned char *p, size_t used, uint32_t code);

/* Whether these bytes, at least one, begin a character that needs more bytes. */
bool utf8_is_partial(const unsigned char *p, size_t length);

/* How many bytes at the end of a text begin a character that needs more of them. */
size_t utf8_tail(const char *text, size_t length);

/* Write a code point; returns its bytes, at most 4. Without a NUL. */
size_t utf8_encode(uint32_t code, char *out);

bool utf8_is_valid(const char *text, size_t length);

#endif
