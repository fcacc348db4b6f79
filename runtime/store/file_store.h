/*
 * file_store - the files that clients upload and that runs leave.
 *
 * A private directory, used by one process at a time:
 *
 *     lock          held while the store is open
 *     files/ID      the files: the content, and behind it a record (store/file_store_record.h)
 *     incoming/ID   unfinished uploads; emptied at start
 *     scratch/      directories that outputs of runs are collected in; emptied at start
 *
 * A file is written in incoming/ with its record, synced, and renamed to files/; then the name is
 * synced, the index gets the file, and the client is told. So after a kill or a power failure a
 * file is there as a whole, or not at all, and it stays once its client was told. The record is a
 * part of the file, so neither exists without the other. Records are read at start. From then on a
 * look-up touches no disk, and no client's text becomes a path: the index has only ids that the
 * store has made.
 *
 * Waiting: fsync(2) takes 3 ms on an idle virtual disk with ext4, 0.4 s beside a dd of 230 MB/s,
 * and seconds on slower disks; serve is one thread. So a child syncs, renames and syncs the names,
 * one child at a time for all requests that wait (store/settler.h). The kernel's asynchronous fsync
 * (io_submit(2)) needs no child, but the end of a process waits for it: with a disk that does not
 * answer, a serve that was killed would keep its lock, its sockets and its sandboxes. Contents are
 * written back while they arrive, so at most FILE_STORE_UNWRITTEN_BYTES are left to sync: while a
 * client sends faster than the disk writes, serve waits in write(2), a little each time. A call may
 * wait for the disk unless its comment says that it touches none.
 *
 * An owner is the id of an API key, "" without keys. Files of another owner are "not found". Quotas
 * count the sizes of files, for an owner and for the whole store; both include running uploads and
 * held bytes.
 *
 * Errors of all: ERR_NOT_FOUND; ERR_LIMIT with the number EFBIG (the file is too large) or EDQUOT
 * (a quota, or the number of files); ERR_BUSY: retry, since the owner's held bytes are released
 * soon; ERR_SYSTEM, where file_store_is_full() detects a full disk. e->text is fit for remote
 * clients.
 *
 * Runs: serve. Needs: nothing but its directory.
 */
#ifndef GLOVEBOX_STORE_FILE_STORE_H
#define GLOVEBOX_STORE_FILE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define FILE_STORE_ID_SIZE         37 /* a UUID in lower case, and NUL */
#define FILE_STORE_OWNER_MAX       64 /* bytes of UTF-8 */
#define FILE_STORE_NAME_MAX        255
#define FILE_STORE_SCRATCH_SIZE    FILE_STORE_ID_SIZE
#define FILE_STORE_SWEEP_MOST      32
#define FILE_STORE_LAND_FDS        2
#define FILE_STORE_UNWRITTEN_BYTES (8u << 20)

struct file_store;
struct file_store_upload;
struct file_store_entry; /* a file in memory; borrowed until a file is added or deleted */

/* UINT64_MAX: unbounded. */
struct file_store_most {
	uint64_t bytes;
	uint64_t files;
};

/* 0: unbounded. */
struct file_store_limits {
	uint64_t file_bytes;
	uint64_t total_bytes;
	unsigned total_files; /* each costs some 300 bytes of memory */
	unsigned ttl_s;       /* counted from the upload */
	uint64_t least_bytes; /* smallest charge of a file */
	/* The limits of one owner; NULL: unbounded. */
	struct file_store_most (*owner_most)(const void *context, const char *owner);
	const void *context;
};

/*
 * Bytes on the disk that an owner is charged for, outside of files: a content that is being sent or
 * collected, or the content of a deleted file that is still read. All zero: none.
 */
struct file_store_hold {
	struct file_store *store;
	struct file_store_owner *owner; /* NULL: none */
	uint64_t bytes;
	struct file_store_entry *entry; /* being read; NULL: none */
};

struct stored_file {
	char id[FILE_STORE_ID_SIZE];
	char owner[FILE_STORE_OWNER_MAX + 1];
	char filename[FILE_STORE_NAME_MAX + 1]; /* UTF-8 without control characters, never "" */
	uint64_t size_bytes;
	double upload_time; /* seconds since 1970 */
};

/*
 * file_store_open - open the store in a directory; create the directory (last name only) if it is
 * missing.
 *
 * Removes unfinished files of a killed process, files without a record, and the objects/ of a store
 * of the former layout. Leaves foreign names alone. Prints the counts to stderr in one line. Files
 * above a limit stay.
 *
 * Errors: ERR_BUSY: another process has it open; ERR_INPUT: it is not private to us.
 * On success *out is owned: file_store_close(), after all uploads have ended.
 */
int file_store_open(const char *path, const struct file_store_limits *limits,
		    struct file_store **out, struct err *e);
void file_store_close(struct file_store *s);

/* Set the limits for uploads and outputs from now on. */
void file_store_set_limits(struct file_store *s, const struct file_store_limits *limits);

/*
 * file_store_upload_begin - begin an upload, which arrives in pieces.
 * On success *out is owned: end it with file_store_upload_end() or file_store_upload_abandon(),
 * before the store is closed. Errors: ERR_LIMIT for the number of files.
 */
int file_store_upload_begin(struct file_store *s, const char *owner, struct file_store_upload **out,
			    struct err *e);

/*
 * Add a piece. It may be written later: a full disk is then reported at the end. After an error
 * only file_store_upload_abandon() may follow.
 */
int file_store_upload_take(struct file_store_upload *u, const void *bytes, size_t length,
			   struct err *e);

/*
 * file_store_upload_end - all pieces have arrived: write the record behind them. The file is
 * complete, in incoming/. After an error only file_store_upload_abandon() may follow.
 *
 * @filename  as sent, any bytes (file_store_name_clean()); NULL: "unnamed".
 */
int file_store_upload_end(struct file_store_upload *u, const char *filename, struct err *e);

/* The file of a complete upload. Borrowed. */
const struct stored_file *file_store_upload_file(const struct file_store_upload *u);

/*
 * file_store_upload_keep    - the upload has landed (file_store_land()): add its file to the index,
 *                             and free the upload.
 * file_store_upload_abandon - discard the upload, also while a child lands it. Safe on NULL.
 */
void file_store_upload_keep(struct file_store_upload *u);
void file_store_upload_abandon(struct file_store_upload *u);

/*
 * file_store_land       - sync complete uploads, and rename them to files/. Uploads that were
 *                         abandoned meanwhile are skipped.
 * file_store_land_names - then sync the names in files/, the new ones and the deleted ones.
 *
 * Both can take seconds, and use only these descriptors (borrowed), so a server runs them in a
 * child (store/settler.h). Errors: ERR_SYSTEM.
 */
int file_store_land(const struct file_store *s, struct file_store_upload *const *uploads,
		    size_t count, struct err *e);
int file_store_land_names(const struct file_store *s, struct err *e);
void file_store_land_fds(const struct file_store *s, int fds[FILE_STORE_LAND_FDS]);

/*
 * file_store_scratch - create a directory in the store's file system for the outputs of a run.
 *
 * @fd    owned by the caller.
 * @name  for file_store_scratch_end(), which removes the directory with its contents. An empty
 *        one may be kept for the next run until the store is closed.
 */
int file_store_scratch(struct file_store *s, int *fd, char name[FILE_STORE_SCRATCH_SIZE],
		       struct err *e);
void file_store_scratch_end(struct file_store *s, int *fd, const char *name);

/*
 * file_store_adopt - make a complete file in such a directory a complete upload, without a copy.
 *
 * @directory_fd, @name  a regular file of ours with one link, which no process will write again.
 *                       It is moved away on success.
 * @filename             as for file_store_upload_end().
 * Errors: also ERR_INPUT: not such a file.
 */
int file_store_adopt(struct file_store *s, const char *owner, int directory_fd, const char *name,
		     const char *filename, struct file_store_upload **out, struct err *e);

/*
 * file_store_find - look a file up. Touches no disk.
 * @id  any text. Errors: ERR_NOT_FOUND: unknown, another owner's, or malformed.
 */
int file_store_find(const struct file_store *s, const char *owner, const char *id,
		    struct stored_file *out, struct err *e);

/*
 * Look a file up and open it for reading. The content is the first size_bytes of *fd: the record is
 * behind it. *fd is owned and may outlive the file: the owner is charged until *hold is ended.
 */
int file_store_open_file(struct file_store *s, const char *owner, const char *id,
			 struct stored_file *out, int *fd, struct file_store_hold *hold,
			 struct err *e);

/*
 * file_store_hold      - charge an owner for bytes before they are written.
 * file_store_hold_left - charge as much as the quota leaves, `most` at most; `beyond` bytes may
 *                        exceed the quota: copies of files that the owner is charged for already.
 * file_store_holds     - whether the owner has held bytes, which will be released.
 * file_store_hold_cut  - release held bytes beyond so many.
 * file_store_hold_give - release the bytes held for a file that is about to be adopted.
 * file_store_hold_end  - release all. Safe on an all-zero hold.
 */
int file_store_hold(struct file_store *s, const char *owner, uint64_t bytes,
		    struct file_store_hold *hold, struct err *e);
int file_store_hold_left(struct file_store *s, const char *owner, uint64_t most, uint64_t beyond,
			 struct file_store_hold *hold, struct err *e);
bool file_store_holds(const struct file_store *s, const char *owner);
void file_store_hold_cut(struct file_store_hold *hold, uint64_t bytes);
void file_store_hold_give(struct file_store_hold *hold, uint64_t size_bytes);
void file_store_hold_end(struct file_store_hold *hold);

/*
 * file_store_next - iterate over an owner's files, oldest first:
 *
 *     for (at = NULL; (at = file_store_next(s, owner, at, &file));)
 *
 * Touches no disk. Returns NULL at the end. Do not add or delete files meanwhile.
 */
const struct file_store_entry *file_store_next(const struct file_store *s, const char *owner,
					       const struct file_store_entry *after,
					       struct stored_file *out);

/*
 * file_store_delete - remove a file from the index and from the disk. Until file_store_land_names()
 * a power failure may bring it back. An open descriptor keeps it readable.
 */
int file_store_delete(struct file_store *s, const char *owner, const char *id, struct err *e);

/*
 * file_store_sweep - delete files that are older than their time to live.
 *
 * @now  seconds since 1970.
 * Returns how many were deleted, FILE_STORE_SWEEP_MOST at most: then call it again soon, else every
 * minute or so.
 */
unsigned file_store_sweep(struct file_store *s, double now);

struct file_store_usage {
	uint64_t bytes;
	unsigned files;
};

/* The usage of one owner, or (NULL) of the whole store. Includes uploads and holds. */
struct file_store_usage file_store_usage(const struct file_store *s, const char *owner);

/* Whether an error means that the disk, or our quota on it, is full. */
static inline bool file_store_is_full(const struct err *e)
{
	return e->kind == ERR_SYSTEM && (e->number == ENOSPC || e->number == EDQUOT);
}

#endif
