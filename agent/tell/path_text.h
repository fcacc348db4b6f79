/*
 * path_text - file names for a model to read, and to use in its code.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_PATH_TEXT_H
#define GLOVEBOX_AGENT_PATH_TEXT_H

#include <stdint.h>

#include "base/buf.h"

/*
 * path_text - append folder/name; `name` is any bytes.
 *
 * A name of more than plain words is written as a Python string with that value ('/data/a\nb', bad
 * UTF-8 as surrogateescape has it), which can contain neither a mark nor a line break.
 */
void path_text(const char *folder, const char *name, struct buf *out);

/* "1.2 MB", as people say it. */
void size_text(uint64_t bytes, struct buf *out);

#endif
