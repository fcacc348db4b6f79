/*
 * watch_record - the file in which a selftest leaves what it found: selftest.json.
 *
 *   $XDG_STATE_HOME/glovebox   if that is set
 *   /var/lib/glovebox          for root
 *   ~/.local/state/glovebox    for everybody else
 *
 * The directory must be its user's alone, and so must the file: both are judged by descriptor. It
 * is replaced as a whole, and one selftest at a time holds the lock of the directory.
 *
 * Runs: `glovebox selftest --watch`; `glovebox doctor` reads. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_WATCH_RECORD_H
#define GLOVEBOX_CLI_WATCH_RECORD_H

#include <limits.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

struct watch_record {
	int dir;          /* owned */
	int lock;         /* owned; held until the end */
	struct json *was; /* owned; NULL: there is none that can be read */
	char path[PATH_MAX + 16];
	char broken[600]; /* why it cannot be read; "" */
};

/*
 * watch_record_open - make the directory, wait for the lock, read what is there.
 * Errors: ERR_INPUT: somebody else's, with the remedy; ERR_BUSY: another one holds the lock, and
 * does not let go. Ended by watch_record_close() in any case.
 */
int watch_record_open(struct watch_record *r, struct err *e);
void watch_record_close(struct watch_record *r);

/* watch_record_look - the same to read only: nothing is made, nothing waits. */
int watch_record_look(struct watch_record *r, struct err *e);

/* Whole, on the disk, or not at all: -1 with *e. */
int watch_record_write(const struct watch_record *r, const struct buf *document, struct err *e);

#endif
