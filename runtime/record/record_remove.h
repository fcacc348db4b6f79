/*
 * record_remove - remove what is kept of a sandbox that has ended.
 *
 * Runs: monitor, its clients. Needs: nothing.
 */
#ifndef GLOVEBOX_RECORD_RECORD_REMOVE_H
#define GLOVEBOX_RECORD_RECORD_REMOVE_H

#include "record/record.h"

/*
 * record_lock - lock the record of what has ended: it does not start, and is not removed meanwhile.
 * Returns an owned descriptor, or -1 with errno; EWOULDBLOCK: it runs; ENOENT: it was removed.
 */
int record_lock(const struct record *r);

/*
 * record_remove - remove the record of a sandbox that has ended.
 * Errors: ERR_BUSY: it runs.
 */
int record_remove(const struct record *r, struct err *e);

/* Remove a record with its name, which goes last: a link without a record does not count
 * (record/record_names.h). */
void record_erase(const char *id, const char *name, struct err *e);

/* Remove what processes have left that were killed while they wrote, renamed or removed a record.
 */
void record_sweep(void);

#endif
