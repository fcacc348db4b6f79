/*
 * file_store_parts - what the files of the store share: its directories, and how files come and go
 * there.
 *
 * Runs: serve. Needs: nothing but the store's directory.
 */
#ifndef GLOVEBOX_SERVE_FILE_STORE_PARTS_H
#define GLOVEBOX_SERVE_FILE_STORE_PARTS_H

#include "serve/file_store.h"
#include "serve/file_store_index.h"

struct file_store {
	struct file_store_index index;
	int objects_fd;
	int files_fd;
	int incoming_fd;
	int scratch_fd;
	int spare_fd;                        /* an empty directory there, for the next run; -1 */
	char spare[FILE_STORE_SCRATCH_SIZE]; /* its name */
	int lock_fd;                         /* held until it is closed */
};

/* A content that lies complete somewhere in the store, and which shall become a file. */
struct file_store_arrival {
	int directory_fd;   /* where it lies; borrowed */
	const char *name;   /* there */
	const char *sha256; /* of it */
	uint64_t size_bytes;
	struct file_store_owner *owner; /* charged for it */
};

/*
 * file_store_commit - put it and its record into place, in an order that a kill at any moment
 * leaves whole. It is hidden, until it is on the disk.
 *
 * Returns 0, or -1: then there is no file, the owner is still charged, and the content may lie
 * where it was or be gone.
 */
int file_store_commit(struct file_store *s, const struct file_store_arrival *arrival,
		      const char *filename, struct stored_file *out, struct err *e);

/* Remove a file from the disk and from the index. -1 with errno: it is still there. */
int file_store_remove(struct file_store *s, struct file_store_entry *entry);

/* Read all records into the index, and remove what belongs to none. `path` is for messages. */
int file_store_load(struct file_store *s, const char *path, struct err *e);

/* The time of a new file. */
double file_store_now(void);

#endif
