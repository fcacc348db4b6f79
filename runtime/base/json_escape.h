/*
 * json_escape - the escapes in JSON text: looked for, repaired, replaced by what they stand for.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_JSON_ESCAPE_H
#define GLOVEBOX_BASE_JSON_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* An escaped backslash before "u0000" does not make it one. */
bool json_has_nul_escape(const char *text, size_t length);

/*
 * json_repair - write \ufffd over escapes that json_parse() would refuse: NUL, and half of a
 * surrogate pair. Servers pass such text on from a model.
 */
void json_repair(char *text, size_t length);

/*
 * json_unescape - replace the escapes of one string, and end it with a NUL, in its place.
 *
 * @at  the quotation mark before it; moved behind the one after it.
 * The text has passed json_check_strict().
 */
char *json_unescape(char **at, const char *end);

#endif
