/*
 * file_store_upload - a file on its way into the store: in pieces, or from a run.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "loop/clock.h"
#include "store/file_store_charge.h"
#include "store/file_store_name.h"
#include "store/file_store_parts.h"
#include "store/file_store_record.h"

#define FILE_STORE_UPLOAD_WINDOW (FILE_STORE_UNWRITTEN_BYTES / 8)
#define FILE_STORE_UPLOAD_PIECE  16384 /* bytes per write(2); whole pages */

struct file_store_upload {
	struct file_store *store;
	struct file_store_owner *owner; /* charged */
	struct stored_file file;        /* size_bytes: received, written or held in `piece` */
	int fd;                         /* owned; -1: complete */
	uint64_t written_bytes;
	uint64_t sent_bytes; /* their write-back has begun; whole windows */
	bool failed;
	size_t held;
	char *piece; /* owned */
};

/* Free everything but the charge, which passes to the file. */
static void file_store_upload_free(struct file_store_upload *u)
{
	own_close(&u->fd);
	free(u->piece);
	free(u);
}

/* In this order: a child may be renaming the file from incoming/ to files/. */
void file_store_upload_abandon(struct file_store_upload *u)
{
	if (!u)
		return;
	unlinkat(u->store->incoming_fd, u->file.id, 0);
	if (u->fd < 0)
		unlinkat(u->store->files_fd, u->file.id, 0);
	file_store_charge_give_back(&u->store->index, u->owner, u->file.size_bytes);
	file_store_upload_free(u);
}

/* Make an upload, and charge its owner for a file without bytes. */
static struct file_store_upload *file_store_upload_new(struct file_store *s, const char *owner,
						       struct err *e)
{
	struct file_store_owner *charged;
	struct file_store_upload *u;

	if (!file_store_record_is_owner(owner)) {
		err_input(e, "the owner of a file has at most %d bytes", FILE_STORE_OWNER_MAX);
		return NULL;
	}
	charged = file_store_charge_file(&s->index, owner, e);
	if (!charged)
		return NULL;
	u = own_zeroed(1, sizeof(*u));
	u->store = s;
	u->owner = charged;
	u->fd = -1;
	file_store_record_new_id(u->file.id);
	snprintf(u->file.owner, sizeof(u->file.owner), "%s", owner);
	return u;
}

int file_store_upload_begin(struct file_store *s, const char *owner, struct file_store_upload **out,
			    struct err *e)
{
	struct file_store_upload *u = file_store_upload_new(s, owner, e);

	if (!u)
		return -1;
	u->fd = openat(s->incoming_fd, u->file.id,
		       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (u->fd < 0) {
		err_sys(e, "begin a file");
		file_store_upload_abandon(u);
		return -1;
	}
	u->piece = own_resize(NULL, FILE_STORE_UPLOAD_PIECE, 1);
	*out = u;
	return 0;
}

/* Whether written data were lost; other errors only mean that the file system lacks the call. */
static bool file_store_upload_is_lost(int bad)
{
	return bad && (errno == EIO || errno == ENOSPC || errno == EDQUOT);
}

/*
 * Start the write-back of full windows, and wait for an earlier one: a client that is faster than
 * the disk waits here a little each time, instead of making everybody wait at its end. The kernel
 * reports an error only once: fsync(2) would not report it again.
 */
static int file_store_upload_write_back(struct file_store_upload *u)
{
	const off_t window = FILE_STORE_UPLOAD_WINDOW;
	const off_t most_behind = FILE_STORE_UNWRITTEN_BYTES - window;
	const unsigned send = SYNC_FILE_RANGE_WRITE;
	const unsigned wait = send | SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WAIT_AFTER;
	bool lost = false;

	for (; u->written_bytes - u->sent_bytes >= (uint64_t)window;
	     u->sent_bytes += (uint64_t)window) {
		off_t at = (off_t)u->sent_bytes;

		lost |= file_store_upload_is_lost(sync_file_range(u->fd, at, window, send));
		if (at >= most_behind)
			lost |= file_store_upload_is_lost(
				sync_file_range(u->fd, at - most_behind, window, wait));
	}
	return lost ? -1 : 0;
}

static int file_store_upload_flush(struct file_store_upload *u, struct err *e)
{
	u->written_bytes += u->held;
	if (io_write_all(u->fd, u->piece, u->held) || file_store_upload_write_back(u))
		return err_sys(e, "write a file");
	u->held = 0;
	return 0;
}

/* Pieces of some 8 kB arrive unaligned: buffer them, since whole pages are cheaper to write. */
static int file_store_upload_write(struct file_store_upload *u, const char *bytes, size_t length,
				   struct err *e)
{
	struct file_store_index *x = &u->store->index;

	if (file_store_charge_check_size(x, u->file.size_bytes, length, e) ||
	    file_store_charge_bytes(x, u->owner, u->file.size_bytes, length, e))
		return -1;
	u->file.size_bytes += length;
	while (length) {
		size_t room = FILE_STORE_UPLOAD_PIECE - u->held;
		size_t n = length < room ? length : room;

		memcpy(u->piece + u->held, bytes, n);
		u->held += n;
		bytes += n;
		length -= n;
		if (u->held == FILE_STORE_UPLOAD_PIECE && file_store_upload_flush(u, e))
			return -1;
	}
	return 0;
}

int file_store_upload_take(struct file_store_upload *u, const void *bytes, size_t length,
			   struct err *e)
{
	if (u->failed)
		return err_input(e, "this upload has failed already");
	u->failed = file_store_upload_write(u, bytes, length, e);
	return u->failed ? -1 : 0;
}

/* Write the record; @fd  is positioned at the end of the content. */
static int file_store_upload_record(struct file_store_upload *u, int fd, const char *filename,
				    struct err *e)
{
	struct file_store_record record;

	u->file.upload_time = clock_now_s();
	file_store_name_clean(filename, filename ? strlen(filename) : 0, u->file.filename);
	file_store_record_fill(&u->file, &record);
	return io_write_all(fd, &record, sizeof(record)) ? err_sys(e, "write the record of a file")
							 : 0;
}

int file_store_upload_end(struct file_store_upload *u, const char *filename, struct err *e)
{
	if (u->failed)
		return err_input(e, "this upload has failed already");
	if (file_store_upload_flush(u, e) || file_store_upload_record(u, u->fd, filename, e))
		return -1;
	own_close(&u->fd);
	own_free(&u->piece);
	return 0;
}

const struct stored_file *file_store_upload_file(const struct file_store_upload *u)
{
	return &u->file;
}

void file_store_upload_keep(struct file_store_upload *u)
{
	file_store_index_add(&u->store->index, u->owner, &u->file);
	file_store_upload_free(u);
}

/* -- outputs of runs ------------------------------------------------------------------------- */

static int file_store_upload_open_output(int directory_fd, const char *name, struct stat *st,
					 struct err *e)
{
	auto_fd int fd = strchr(name, '/') ? -1
					   : openat(directory_fd, name,
						    O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK |
							    O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, st))
		return err_sys(e, "open an output");
	if (!S_ISREG(st->st_mode) || st->st_nlink != 1 || st->st_uid != geteuid())
		return err_input(e, "an output is not a file of ours alone");
	if (fchmod(fd, 0600))
		return err_sys(e, "change the mode of an output");
	return take_fd(&fd);
}

static int file_store_upload_charge(struct file_store_upload *u, uint64_t size, struct err *e)
{
	struct file_store_index *x = &u->store->index;

	if (file_store_charge_check_size(x, 0, size, e) ||
	    file_store_charge_bytes(x, u->owner, 0, size, e))
		return -1;
	u->file.size_bytes = size;
	return 0;
}

int file_store_adopt(struct file_store *s, const char *owner, int directory_fd, const char *name,
		     const char *filename, struct file_store_upload **out, struct err *e)
{
	struct stat st;
	auto_fd int fd = file_store_upload_open_output(directory_fd, name, &st, e);
	struct file_store_upload *u = fd < 0 ? NULL : file_store_upload_new(s, owner, e);

	if (!u)
		return -1;
	if (file_store_upload_charge(u, (uint64_t)st.st_size, e) ||
	    file_store_upload_record(u, fd, filename, e)) {
		file_store_upload_abandon(u);
		return -1;
	}
	if (renameat(directory_fd, name, s->incoming_fd, u->file.id)) {
		err_sys(e, "put an output into the store");
		file_store_upload_abandon(u);
		return -1;
	}
	*out = u;
	return 0;
}

/* -- landing, in a child --------------------------------------------------------------------- */

void file_store_land_fds(const struct file_store *s, int fds[FILE_STORE_LAND_FDS])
{
	fds[0] = s->files_fd;
	fds[1] = s->incoming_fd;
}

/* -1 with errno. */
static int file_store_upload_sync(const struct file_store *s, const char *id)
{
	auto_fd int fd = openat(s->incoming_fd, id, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -1 : fdatasync(fd);
}

/* An upload that was abandoned meanwhile is not in incoming/. Returns 0, or -1 with errno. */
static int file_store_upload_place(const struct file_store *s, const char *id, bool sync)
{
	if ((!sync || !file_store_upload_sync(s, id)) &&
	    !renameat(s->incoming_fd, id, s->files_fd, id))
		return 0;
	return errno == ENOENT && faccessat(s->incoming_fd, id, F_OK, AT_SYMLINK_NOFOLLOW) ? 0 : -1;
}

/* Sync many files with one syncfs(2); sync a single file alone, whatever other processes write. */
int file_store_land(const struct file_store *s, struct file_store_upload *const *uploads,
		    size_t count, struct err *e)
{
	if (count > 1 && syncfs(s->incoming_fd))
		return err_sys(e, "write files to the disk");
	for (size_t i = 0; i < count; i++) {
		if (file_store_upload_place(s, uploads[i]->file.id, count == 1))
			return err_sys(e, "put a file into place");
	}
	return 0;
}

int file_store_land_names(const struct file_store *s, struct err *e)
{
	return fsync(s->files_fd) ? err_sys(e, "write the names of files to the disk") : 0;
}
