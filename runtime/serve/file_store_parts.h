/*
 * file_store_parts - shared by the files of the store: its directories, and adding and removing
 * files.
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
	int spare_fd; /* an empty scratch directory, kept for the next run; -1 */
	char spare[FILE_STORE_SCRATCH_SIZE]; /* name of the spare directory */
	int lock_fd;                         /* held until it is closed */
};

/* A complete content in the store's file system that is to become a file. */
struct file_store_arrival {
	int directory_fd;   /* the directory that has it; borrowed */
	const char *name;   /* its name in that directory */
	const char *sha256; /* of the content */
	uint64_t size_bytes;
	struct file_store_owner *owner; /* charged for it */
};

/*
 * file_store_commit - move a content and its record into place, in an order that survives a kill at
 * any time. The file is hidden until it is on the disk.
 *
 * Returns 0, or -1: no file was made, the owner is still charged, and the content is where it was
 * or gone.
 */
int file_store_commit(struct file_store *s, const struct file_store_arrival *arrival,
		      const char *filename, struct stored_file *out, struct err *e);

/* Remove a file from the disk and from the index. -1 with errno: it stays. */
int file_store_remove(struct file_store *s, struct file_store_entry *entry);

/* Read all records into the index, and remove what belongs to none. @path  for messages. */
int file_store_load(struct file_store *s, const char *path, struct err *e);

/* Return the upload time of a new file. */
double file_store_now(void);

#endif
