/*
 * file_store_upload - receive a file in pieces, hashing and writing it meanwhile.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "serve/content_hash.h"
#include "serve/file_store_charge.h"
#include "serve/file_store_parts.h"
#include "serve/file_store_record.h"

#define FILE_STORE_UPLOAD_WINDOW (FILE_STORE_UNWRITTEN_BYTES / 8)
#define FILE_STORE_UPLOAD_PIECE  16384 /* bytes per write(2); whole pages */

struct file_store_upload {
	struct file_store *store;
	struct file_store_owner *owner; /* charged */
	struct content_hash *hash;      /* owned; NULL after its end */
	int fd;                         /* owned */
	uint64_t size_bytes;            /* received: written, or held in `piece` */
	uint64_t written_bytes;
	uint64_t sent_bytes; /* their write-back has begun; whole windows */
	bool failed;
	char name[FILE_STORE_ID_SIZE]; /* in incoming/ */
	size_t held;
	char piece[FILE_STORE_UPLOAD_PIECE];
};

/* Free everything but the charge, which passes to the file. */
static void file_store_upload_free(struct file_store_upload *u)
{
	content_hash_abandon(u->hash);
	own_close(&u->fd);
	free(u);
}

void file_store_upload_abandon(struct file_store_upload *u)
{
	if (!u)
		return;
	if (u->fd >= 0)
		unlinkat(u->store->incoming_fd, u->name, 0);
	file_store_charge_give_back(&u->store->index, u->owner, u->size_bytes);
	file_store_upload_free(u);
}

static int file_store_upload_open(struct file_store_upload *u, struct err *e)
{
	u->fd = openat(u->store->incoming_fd, u->name,
		       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return u->fd < 0 ? err_sys(e, "begin a file") : content_hash_begin(&u->hash, e);
}

int file_store_upload_begin(struct file_store *s, const char *owner, struct file_store_upload **out,
			    struct err *e)
{
	struct file_store_owner *charged;
	struct file_store_upload *u;

	if (!file_store_record_is_owner(owner))
		return err_input(e, "the owner of a file has at most %d bytes",
				 FILE_STORE_OWNER_MAX);
	charged = file_store_charge_file(&s->index, owner, e);
	if (!charged)
		return -1;
	u = own_zeroed(1, sizeof(*u));
	u->store = s;
	u->owner = charged;
	file_store_record_new_id(u->name);
	if (file_store_upload_open(u, e)) {
		file_store_upload_abandon(u);
		return -1;
	}
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
	if (content_hash_add(u->hash, u->piece, u->held, e))
		return -1;
	u->held = 0;
	return 0;
}

/* Pieces of some 8 kB arrive unaligned: buffer them, since whole pages are cheaper to write. */
static int file_store_upload_write(struct file_store_upload *u, const char *bytes, size_t length,
				   struct err *e)
{
	struct file_store_index *x = &u->store->index;

	if (file_store_charge_check_size(x, u->size_bytes, length, e) ||
	    file_store_charge_bytes(x, u->owner, u->size_bytes, length, e))
		return -1;
	u->size_bytes += length;
	while (length) {
		size_t room = sizeof(u->piece) - u->held;
		size_t n = length < room ? length : room;

		memcpy(u->piece + u->held, bytes, n);
		u->held += n;
		bytes += n;
		length -= n;
		if (u->held == sizeof(u->piece) && file_store_upload_flush(u, e))
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

/* Flush the rest, and finish the hash. */
static int file_store_upload_complete(struct file_store_upload *u, char sha256[DIGEST_HEX],
				      struct err *e)
{
	if (u->failed)
		return err_input(e, "this upload has failed already");
	if (file_store_upload_flush(u, e))
		return -1;
	content_hash_end(take_ptr(&u->hash), sha256);
	return 0;
}

int file_store_upload_end(struct file_store_upload *u, const char *filename,
			  struct stored_file *out, struct err *e)
{
	char sha256[DIGEST_HEX];
	const struct file_store_arrival arrival = {.directory_fd = u->store->incoming_fd,
						   .name = u->name,
						   .sha256 = sha256,
						   .size_bytes = u->size_bytes,
						   .owner = u->owner};
	int bad = file_store_upload_complete(u, sha256, e) ||
				  file_store_commit(u->store, &arrival, filename, out, e)
			  ? -1
			  : 0;

	if (bad)
		file_store_upload_abandon(u);
	else
		file_store_upload_free(u);
	return bad;
}
