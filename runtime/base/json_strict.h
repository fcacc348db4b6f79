/*
 * json_strict - check that a text is strict JSON (RFC 8259), of bounded cost.
 *
 * json_parse() accepts more than JSON and uses at least 64 bytes for each value, so check untrusted
 * text here first. The check allocates nothing and does not recurse.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_JSON_STRICT_H
#define GLOVEBOX_BASE_JSON_STRICT_H

#include <stddef.h>

#include "base/err.h"

/*
 * json_check_strict - refuse a text that is not valid UTF-8 or not JSON, or that we cannot
 * represent: NUL, half surrogate pairs, numbers beyond double, more than 64 levels.
 *
 * @max_values  on all levels together, containers included.
 * json_parse() accepts every text that passes. Errors: ERR_INPUT.
 */
int json_check_strict(const char *text, size_t length, size_t max_values, struct err *e);

/*
 * json_byte_order_mark - the length of a byte order mark, which some programs write (PowerShell 5).
 *
 * RFC 8259 lets a reader skip them. json_check_strict() refuses them, because we must not pass them
 * on; json_parse() skips them.
 */
size_t json_byte_order_mark(const char *text, size_t length);

#endif
