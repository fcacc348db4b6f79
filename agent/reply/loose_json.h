/*
 * loose_json - turn JSON as models write it into strict JSON.
 *
 * Accepts line breaks and bad escapes inside strings, strings in single, triple or back quotes,
 * True, False and None, trailing commas, missing last brackets. json_parse() refuses the result if
 * it is not JSON.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_LOOSE_JSON_H
#define GLOVEBOX_AGENT_LOOSE_JSON_H

#include <stddef.h>

#include "base/buf.h"

/*
 * loose_json - translate the value that begins at text[0] ('{' or '[') and append it to *out.
 * Returns its length; 0: it ends inside a string.
 */
size_t loose_json(const char *text, size_t length, struct buf *out);

#endif
