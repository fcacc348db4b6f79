/*
 * record_put - members of a record in Docker's fields, for all that describe a sandbox.
 *
 * No side effects. Runs: client, engine. Needs: nothing.
 */
#ifndef GLOVEBOX_RECORD_RECORD_PUT_H
#define GLOVEBOX_RECORD_RECORD_PUT_H

#include "base/buf.h"
#include "record/record.h"

/* Append "Mounts" and "Labels". */
void record_put_mounts(const struct record *r, struct buf *out);
void record_put_labels(const struct record *r, struct buf *out);

#endif
