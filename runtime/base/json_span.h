/*
 * json_span - find a value in a JSON text, as its sender wrote it.
 *
 * json_parse() converts numbers to doubles; a value that must be sent back unchanged (the id of a
 * request) is taken from the text instead. The text has passed json_check_strict(); nothing is
 * checked here.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_JSON_SPAN_H
#define GLOVEBOX_BASE_JSON_SPAN_H

#include <stdbool.h>
#include <stddef.h>

/* One value, without the space around it; borrowed from the text. */
struct json_span {
	const char *text; /* NULL: none */
	size_t length;
};

/* The one value of a document. */
struct json_span json_span_of(const char *text, size_t length);

/*
 * The first member of that name in an object; none in other values. A name with escapes is not
 * found.
 */
struct json_span json_span_member(struct json_span object, const char *key);

/* The element of an array after `after` (none: the first). */
struct json_span json_span_next(struct json_span array, struct json_span after);

#endif
