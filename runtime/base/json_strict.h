/*
 * json_strict - whether a text is JSON to the letter (RFC 8259), and of a bounded cost.
 *
 * json_parse() accepts more than JSON and uses at least 64 bytes for each value, so check a hostile
 * sender's text here first. This allocates nothing and does not recurse.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_JSON_STRICT_H
#define GLOVEBOX_BASE_JSON_STRICT_H

#include <stddef.h>

#include "base/err.h"

/*
 * json_check_strict - refuse what is not valid UTF-8, not JSON, or cannot be kept: NUL, half
 * surrogate pairs, numbers that no double holds, more than 64 levels.
 *
 * @max_values  on all levels together, containers included.
 * json_parse() accepts what passes. Errors: ERR_INPUT.
 */
int json_check_strict(const char *text, size_t length, size_t max_values, struct err *e);

/*
 * json_byte_order_mark - the bytes in front of a text that a person's program wrote (PowerShell 5).
 *
 * RFC 8259 lets a reader skip them. json_check_strict() refuses them, because a text that we pass
 * on must not have them; json_parse() skips them.
 */
size_t json_byte_order_mark(const char *text, size_t length);

#endif
