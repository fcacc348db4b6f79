/*
 * json - typed reading of JSON documents, and writing them; the only user of cJSON.
 *
 * Nodes are borrowed from their document. Getters name the key in their error; a missing optional
 * key is not an error and leaves *out unchanged. JSON null counts as missing. A document with a NUL
 * byte is refused, because cJSON would cut strings at it.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_JSON_H
#define GLOVEBOX_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct json; /* a value inside a document */

/* Owns the document: end with json_free(). Nesting deeper than 64 is refused. */
struct json *json_parse(const char *text, size_t length, struct err *e);
void json_free(struct json *document);

/*
 * json_parse_in_place - parse without copying strings: they point into the text, so a large text
 * exists once.
 *
 * @text  has passed json_check_strict(). Its escapes are replaced by their characters, so it is not
 *        JSON afterwards. It outlives the document.
 * Owns the document, not the text: end with json_free().
 */
struct json *json_parse_in_place(char *text, size_t length);

const struct json *json_get(const struct json *object, const char *key); /* NULL: missing or null */
size_t json_count(const struct json *array); /* of an array or object; 0 for other values */

/* json_each - iterate: `for (n = json_first(a); n; n = json_next(n))`. Key is NULL in arrays. */
const struct json *json_first(const struct json *container);
const struct json *json_next(const struct json *node);
const char *json_key(const struct json *node);

bool json_is_object(const struct json *node);
bool json_is_array(const struct json *node);
const char *json_string(const struct json *node); /* NULL unless a string */
bool json_is_true(const struct json *node);
bool json_is_bool(const struct json *node);
bool json_is_null(const struct json *node);
int json_number(const struct json *node, uint64_t *out); /* whole and not negative; otherwise -1 */
int json_double(const struct json *node, double *out);   /* -1 unless a finite number */

/* Members by key. Wrong type: ERR_INPUT naming the key. Missing: 0, *out untouched. */
int json_get_string(const struct json *object, const char *key, const char **out, struct err *e);
int json_get_uint(const struct json *object, const char *key, uint64_t *out, struct err *e);
int json_get_array(const struct json *object, const char *key, const struct json **out,
		   struct err *e);

/* Members of untrusted documents: a member of the wrong type counts as missing. */
const char *json_string_at(const struct json *object, const char *key); /* or NULL */
const char *json_text_at(const struct json *object,
			 const char *key); /* or ""; @object may be NULL */
uint64_t json_uint_at(const struct json *object, const char *key, uint64_t otherwise);

/* Append the value as JSON, in pure ASCII without white space. */
void json_write(const struct json *node, struct buf *out);

/* Append a number, with a decimal point in any locale; 0 for infinity and NaN. */
void json_write_number(double value, struct buf *out);

static inline void json_auto_free(struct json **document)
{
	json_free(*document);
}
#define auto_json __attribute__((cleanup(json_auto_free)))

#endif
