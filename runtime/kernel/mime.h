/*
 * mime - representations of a value (rootfs/guest/display.py), as clients of a notebook read them.
 *
 * No side effects. Runs: kernel. Needs: nothing.
 */
#ifndef GLOVEBOX_KERNEL_MIME_H
#define GLOVEBOX_KERNEL_MIME_H

#include "base/buf.h"
#include "base/json.h"

/* Append "data":{...},"metadata":{} of a bundle, which may be any JSON. */
void mime_put(const struct json *bundle, struct buf *out);

/* Append a line about what was left out of a bundle; nothing if nothing was. */
void mime_put_left_out(const struct json *bundle, struct buf *out);

/* Append a list of the lines of a traceback, each without its last newline. */
void mime_put_lines(const struct json *lines, struct buf *out);

#endif
