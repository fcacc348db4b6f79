/*
 * supplier_dir - the directory in which the warm supervisor of a face listens.
 *
 * Touches the OS. Runs: clients, and the watchdog. Needs: a TMPDIR, or /tmp, to write to.
 */
#ifndef GLOVEBOX_CLIENT_SUPPLIER_DIR_H
#define GLOVEBOX_CLIENT_SUPPLIER_DIR_H

#include <stddef.h>

#include "base/err.h"

/*
 * supplier_dir_make - make one, after removing those that killed faces have left.
 * @out  its path
 * Returns its lock (fs/temporary_dir.h), owned: the watchdog keeps it. -1 with *e.
 */
int supplier_dir_make(char *out, size_t size, struct err *e);

/* Remove it, with what the supervisor and runtime_dir_listen() made there. */
void supplier_dir_remove(const char *directory);

#endif
