/*
 * json_escape - find, repair and decode the escapes in JSON text.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_JSON_ESCAPE_H
#define GLOVEBOX_BASE_JSON_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the text has an escaped NUL. After an escaped backslash, "u0000" is plain text. */
bool json_has_nul_escape(const char *text, size_t length);

/*
 * json_repair - write \ufffd over escapes that json_parse() would refuse: NUL, and half of a
 * surrogate pair. Model servers relay such text.
 */
void json_repair(char *text, size_t length);

/*
 * json_unescape - decode the escapes of one string in place, and end it with a NUL.
 *
 * @at  the quotation mark before it; moved behind the one after it.
 * The text has passed json_check_strict().
 */
char *json_unescape(char **at, const char *end);

#endif
