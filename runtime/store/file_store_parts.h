/*
 * file_store_parts - shared by the files of the store: its directories, and its start.
 *
 * Runs: serve. Needs: nothing but the store's directory.
 */
#ifndef GLOVEBOX_STORE_FILE_STORE_PARTS_H
#define GLOVEBOX_STORE_FILE_STORE_PARTS_H

#include "store/file_store.h"
#include "store/file_store_index.h"

struct file_store {
	struct file_store_index index;
	int files_fd;
	int incoming_fd;
	int scratch_fd;
	int spare_fd; /* an empty scratch directory, kept for the next run; -1 */
	char spare[FILE_STORE_SCRATCH_SIZE]; /* name of the spare directory */
	int lock_fd;                         /* held until it is closed */
};

/* Read all records into the index, and remove files without one. @path  for messages. */
int file_store_load(struct file_store *s, const char *path, struct err *e);

#endif
