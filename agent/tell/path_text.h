/*
 * path_text - write file names for a model to read, and to use in its code.
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
 * A name with other than plain words is written as a Python string with that value ('/data/a\nb',
 * invalid UTF-8 as surrogateescape does), which can contain neither a mark nor a line break.
 */
void path_text(const char *folder, const char *name, struct buf *out);

/* Write a size for people: "1.2 MB". */
void size_text(uint64_t bytes, struct buf *out);

#endif
