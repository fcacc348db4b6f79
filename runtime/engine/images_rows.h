/*
 * images_rows - what a list of images says of each.
 *
 * Runs: engine. Needs: read access to the store.
 */
#ifndef GLOVEBOX_ENGINE_IMAGES_ROWS_H
#define GLOVEBOX_ENGINE_IMAGES_ROWS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/list.h"

/* The words of the command that prints the names, one in each line. */
void images_rows_words(struct list *words);

/* Append an object for each image that has one of the names. Returns the bytes of all. */
uint64_t images_put_rows(const char *names, struct buf *out);

/* Seconds since 1970 of a time in RFC 3339, UTC; 0: NULL, or it is none. */
uint64_t images_seconds(const char *text);

#endif
