/*
 * json_put - write JSON value by value into a buffer, with the commas.
 *
 *     json_put_begin(&out, NULL, '{');
 *     json_put_text(&out, "name", name);
 *     json_put_begin(&out, "sizes", '[');
 *     json_put_uint(&out, NULL, 3);
 *     json_put_end(&out, ']');
 *     json_put_end(&out, '}');
 *
 * @key  the member's name in an object; NULL in an array or for a document.
 *
 * The buffer is the only state: it writes a comma after a value. A newline separates several
 * documents in one buffer. Output is ASCII, as buf_json_string() writes it.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_JSON_PUT_H
#define GLOVEBOX_BASE_JSON_PUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* @bracket: '{' or '[' to begin; '}' or ']' to end the innermost. */
void json_put_begin(struct buf *out, const char *key, char bracket);
void json_put_end(struct buf *out, char bracket);

void json_put_text(struct buf *out, const char *key, const char *text); /* NULL becomes null */
void json_put_bytes(struct buf *out, const char *key, const void *bytes, size_t length);

/* Write a file's name: if it is not UTF-8, KEY_hex has its bytes, so that names stay distinct. */
void json_put_name(struct buf *out, const char *key, const char *name);

void json_put_uint(struct buf *out, const char *key, uint64_t value);
void json_put_int(struct buf *out, const char *key, int64_t value);
void json_put_bool(struct buf *out, const char *key, bool value);
void json_put_null(struct buf *out, const char *key);

/* Write everything before a value, which the caller then writes: json_write(), buf_add(). */
void json_put_key(struct buf *out, const char *key);

#endif
