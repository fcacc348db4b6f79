/*
 * inspected - what `inspect` describes.
 *
 * @template  of --format, which is printed; NULL: append the description, JSON, to @out.
 * Returns the exit status; -1 with *e: ERR_NOT_FOUND: none has the name.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_INSPECTED_H
#define GLOVEBOX_CLI_INSPECTED_H

#include "base/buf.h"
#include "base/err.h"

int inspect_sandbox(const char *word, const char *template, struct buf *out, struct err *e);
int inspect_image(const char *word, const char *template, struct buf *out, struct err *e);
int inspect_volume(const char *word, const char *template, struct buf *out, struct err *e);

/* inspect_open_image - by a name as it is typed, or an id. @image: end with image_close(). */
struct image;
int inspect_open_image(const char *name, struct image *image, struct err *e);

#endif
