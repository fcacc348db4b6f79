/*
 * file_store - the files that clients of serve upload, and that runs leave behind.
 *
 * A directory of ours alone, used by one process at a time:
 *
 *     lock             held while the store is open
 *     objects/HASH     contents, each once however many files of its owner have it
 *     files/ID         one record per file (serve/file_store_record.h)
 *     incoming/        what is being written; emptied at start
 *     scratch/         directories that outputs of runs are collected in; emptied at start
 *
 * A file exists when its record is in files/, and that is put there last: whatever kills us, and
 * even if the machine loses power, a file is there as a whole, or not at all. Records are read at
 * start. From then on a look-up touches no disk, and no text from outside ever becomes a path: ids
 * are matched strictly, contents are named by a hash of their owner and of what they are.
 *
 * An owner is the name of an API key, "" without keys. Nobody sees the files of another: they are
 * "not found". Quotas count an owner's files by their sizes, and the whole store by what it keeps,
 * equal contents of an owner once; both include what is being uploaded, and what is held.
 *
 * Waiting: every call that is not said to touch no disk may wait for it. Contents are written back
 * while they come, so that never more than FILE_STORE_UNWRITTEN_BYTES are left to wait for. What
 * becomes a file is hidden until somebody has waited for it.
 *
 * Errors of all: ERR_NOT_FOUND; ERR_LIMIT with the number EFBIG (the file is too large) or EDQUOT
 * (a quota, or the number of files); ERR_BUSY: held bytes of the owner are given back soon;
 * ERR_SYSTEM, where file_store_is_full() tells a full disk. For clients of the network e->text says
 * it all.
 *
 * Runs: serve. Needs: nothing but its directory.
 */
#ifndef GLOVEBOX_SERVE_FILE_STORE_H
#define GLOVEBOX_SERVE_FILE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/encode.h"
#include "base/err.h"

#define FILE_STORE_ID_SIZE         37 /* a UUID in lower case, and NUL */
#define FILE_STORE_OWNER_MAX       64 /* bytes of UTF-8 */
#define FILE_STORE_NAME_MAX        255
#define FILE_STORE_SCRATCH_SIZE    FILE_STORE_ID_SIZE
#define FILE_STORE_SWEEP_MOST      32
#define FILE_STORE_SETTLE_FDS      2
#define FILE_STORE_UNWRITTEN_BYTES (8u << 20)

struct file_store;
struct file_store_upload;
struct file_store_entry; /* a file in memory; borrowed until anything is added or deleted */

/* UINT64_MAX: no bound. */
struct file_store_most {
	uint64_t bytes;
	uint64_t files;
};

/* 0 means no bound. */
struct file_store_limits {
	uint64_t file_bytes;
	uint64_t owner_bytes;
	uint64_t total_bytes;
	unsigned owner_files; /* each costs some 300 bytes of memory, and a block of the disk */
	unsigned total_files;
	unsigned ttl_s;       /* after the upload */
	uint64_t least_bytes; /* what a file counts at least */
	/* owner_bytes and owner_files for one owner, where each has his own. */
	struct file_store_most (*owner_most)(const void *context, const char *owner);
	const void *context;
};

/*
 * Bytes on the disk that an owner is charged for, outside of files: a content that is being
 * sent or collected, or a file's that is deleted while it is read. All zero: none.
 */
struct file_store_hold {
	struct file_store *store;
	struct file_store_owner *owner; /* NULL: none */
	uint64_t bytes;
	struct file_store_content *content; /* which is read; NULL */
};

struct stored_file {
	char id[FILE_STORE_ID_SIZE];
	char sha256[DIGEST_HEX];
	char owner[FILE_STORE_OWNER_MAX + 1];
	char filename[FILE_STORE_NAME_MAX + 1]; /* UTF-8 without control characters, never "" */
	uint64_t size_bytes;
	double upload_time; /* seconds since 1970 */
};

/*
 * file_store_open - open the store in a directory, which is made if it is missing (only the last
 * name).
 *
 * What a process that was killed has left half-written is removed, as are contents without a record
 * and records without their content. Names that are not ours are left alone. One line on stderr has
 * the counts. What is above a limit already stays.
 *
 * Errors: ERR_BUSY if another process has it; ERR_INPUT if it is not ours alone.
 * On success *out is owned: file_store_close(). Uploads must have ended before that.
 */
int file_store_open(const char *path, const struct file_store_limits *limits,
		    struct file_store **out, struct err *e);
void file_store_close(struct file_store *s);

/* New limits apply to what comes from now on. */
void file_store_set_limits(struct file_store *s, const struct file_store_limits *limits);

/*
 * file_store_upload_begin - a file that comes in pieces.
 * On success *out is owned: end it with file_store_upload_end() or file_store_upload_abandon(),
 * before the store is closed. Errors: ERR_LIMIT for the number of files.
 */
int file_store_upload_begin(struct file_store *s, const char *owner, struct file_store_upload **out,
			    struct err *e);

/*
 * The next piece. It may be written later: then a full disk is told at the end. After an error only
 * file_store_upload_abandon() is left.
 */
int file_store_upload_take(struct file_store_upload *u, const void *bytes, size_t length,
			   struct err *e);

/*
 * file_store_upload_end - all pieces have come: it becomes a file, which nobody sees before it is
 * on the disk (file_store_settle_one()) and revealed. The upload is over, also after an error,
 * which leaves nothing behind.
 *
 * @filename  as it was sent, any bytes (file_store_name_clean()); NULL: "unnamed".
 */
int file_store_upload_end(struct file_store_upload *u, const char *filename,
			  struct stored_file *out, struct err *e);

/* Forget what has come. NULL is allowed. */
void file_store_upload_abandon(struct file_store_upload *u);

/*
 * file_store_scratch - a new directory in the store's file system, to collect outputs of a run in.
 *
 * @fd    owned by the caller.
 * @name  for file_store_scratch_end(), which removes it with everything that is left there. An
 * empty one may stay until the store is closed, for the next run.
 */
int file_store_scratch(struct file_store *s, int *fd, char name[FILE_STORE_SCRATCH_SIZE],
		       struct err *e);
void file_store_scratch_end(struct file_store *s, int *fd, const char *name);

/*
 * file_store_adopt - a complete file in such a directory becomes a file of the store: nothing is
 * copied. Nobody sees it, and a crash may lose it, until all that was adopted is on the disk
 * (file_store_settle(), which waits): then file_store_reveal() it, or file_store_drop() it.
 *
 * @directory_fd, @name  a regular file of ours, with one name, which nobody will write to any more.
 *                       It is gone from there afterwards; after an error it may be.
 * @sha256               in lower case if it is known, which is trusted; NULL: the file is read.
 * @filename             as for file_store_upload_end().
 * Errors: also ERR_INPUT for what is no such file.
 */
int file_store_adopt(struct file_store *s, const char *owner, int directory_fd, const char *name,
		     const char *sha256, const char *filename, struct stored_file *out,
		     struct err *e);

/*
 * file_store_settle - wait until everything in the store is on the disk: once for many files.
 * file_store_settle_one - the same for one, whatever others write.
 *
 * They can take seconds, and use nothing but these descriptors (borrowed): a child does it for
 * whoever has others to serve (serve/settler.h). Errors: ERR_SYSTEM.
 */
int file_store_settle(const struct file_store *s, struct err *e);
int file_store_settle_one(const struct file_store *s, const struct stored_file *file,
			  struct err *e);
void file_store_settle_fds(const struct file_store *s, int fds[FILE_STORE_SETTLE_FDS]);

/* What is hidden is a file like others from now on; or it is none. Safe if it has expired. */
void file_store_reveal(struct file_store *s, const char *owner, const char *id);
void file_store_drop(struct file_store *s, const char *owner, const char *id);

/*
 * file_store_find - what is known of a file. Touches no disk.
 * @id  any text. Errors: ERR_NOT_FOUND, the same for another's file and for what is no id.
 */
int file_store_find(const struct file_store *s, const char *owner, const char *id,
		    struct stored_file *out, struct err *e);

/*
 * The same, and its content. *fd is owned, for reading, and lives longer than the file may: the
 * owner is charged until *hold is ended.
 */
int file_store_open_file(struct file_store *s, const char *owner, const char *id,
			 struct stored_file *out, int *fd, struct file_store_hold *hold,
			 struct err *e);

/*
 * file_store_hold - charge so many bytes more, before they are written.
 * file_store_hold_left - the same for as many as are left, `most` at most; `beyond` the quota: for
 *                        copies of what the owner is charged for already.
 * file_store_holds     - whether the owner holds any, which will be given back.
 * file_store_hold_cut  - give back all beyond so many bytes.
 * file_store_hold_give - a file of this size, for which they were held, is about to be adopted.
 * file_store_hold_end - nothing is held any more. Safe on one that is all zero.
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
 * file_store_next - an owner's files, oldest first:
 *
 *     for (at = NULL; (at = file_store_next(s, owner, at, &file));)
 *
 * Touches no disk. Returns NULL when there are no more. Nothing may be added or deleted meanwhile.
 */
const struct file_store_entry *file_store_next(const struct file_store *s, const char *owner,
					       const struct file_store_entry *after,
					       struct stored_file *out);

/*
 * file_store_delete - nobody sees it any more. It is gone once that is on the disk
 * (file_store_settle_one()): then file_store_drop() it. If the disk refuses, file_store_reveal()
 * it: it can be deleted again.
 *
 * The content goes with its last file. Who has it open keeps it.
 * @out  what it was.
 */
int file_store_delete(struct file_store *s, const char *owner, const char *id,
		      struct stored_file *out, struct err *e);

/*
 * file_store_sweep - delete files that are older than their time to live.
 *
 * @now  seconds since 1970.
 * Returns how many were deleted: FILE_STORE_SWEEP_MOST at most, and then there may be more. Call it
 * again soon in that case, else every minute or so.
 */
unsigned file_store_sweep(struct file_store *s, double now);

struct file_store_usage {
	uint64_t bytes;
	unsigned files;
};

/* Of one owner, or, for NULL, of the whole store: equal contents count once. With uploads and
 * holds. */
struct file_store_usage file_store_usage(const struct file_store *s, const char *owner);

/* Whether an error means that the disk, or our part of it, is full. */
static inline bool file_store_is_full(const struct err *e)
{
	return e->kind == ERR_SYSTEM && (e->number == ENOSPC || e->number == EDQUOT);
}

#endif
