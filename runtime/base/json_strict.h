/*
 * json_strict - whether a text is JSON to the letter (RFC 8259), and of a bounded cost.
 *
 * json_parse() takes more than JSON, and makes 64 bytes and more of each value: of what a
 * hostile sender has written, look here first. Nothing is allocated, nothing calls itself.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_JSON_STRICT_H
#define GLOVEBOX_BASE_JSON_STRICT_H

#include <stddef.h>

#include "base/err.h"

/*
 * json_check_strict - refuse what is not valid UTF-8, no JSON, or more than can be kept: NUL,
 * halves of surrogate pairs, numbers that no double holds, more than 64 levels.
 *
 * @max_values  of all levels together, containers included.
 * What it lets through json_parse() takes. Errors: ERR_INPUT.
 */
int json_check_strict(const char *text, size_t length, size_t max_values, struct err *e);

#endif
