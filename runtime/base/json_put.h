/*
 * json_put - write JSON into a buffer, by its shape or value by value, with the commas.
 *
 *     json_put(&out, "{name:%s, sizes:[%u, 3], state:{Kind:'plain'}}", name, size);
 *
 * The buffer is the only state: a comma comes after a value, so a shape may be a part, which others
 * continue. A newline separates several documents in one buffer. Output is ASCII, as
 * buf_json_string() writes it.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_JSON_PUT_H
#define GLOVEBOX_BASE_JSON_PUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * json_put - write values by their shape: JSON whose keys need no quotes, whose texts have single
 * ones, and whose commas and blanks are left to it.
 *
 *   %s %.*s     a text; NULL becomes null
 *   %d %u       a number; also with l, ll, z
 *   %i          true or false
 *   %p          a struct json, as it is; NULL becomes null
 */
void json_put(struct buf *out, const char *shape, ...) __attribute__((format(printf, 2, 3)));

/*
 * Value by value.
 * @key      the member's name in an object; NULL in an array or for a document.
 * @bracket  '{' or '[' to begin; '}' or ']' to end the innermost.
 */
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
