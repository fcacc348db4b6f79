/*
 * loose_json - JSON as models write it, made strict.
 *
 * Accepts what models add to JSON: line breaks and bad escapes inside strings, strings in single,
 * triple or back quotes, True, False and None, trailing commas, missing last brackets. The result
 * is JSON, or json_parse() refuses it.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_LOOSE_JSON_H
#define GLOVEBOX_AGENT_LOOSE_JSON_H

#include <stddef.h>

#include "base/buf.h"

/*
 * loose_json - append the value that begins at text[0] ('{' or '[') to *out, made strict.
 * Returns how much of the text was used; 0 if it ends inside a string.
 */
size_t loose_json(const char *text, size_t length, struct buf *out);

#endif
