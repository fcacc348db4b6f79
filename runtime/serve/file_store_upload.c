/*
 * file_store_upload - a file that comes in pieces, hashed and written as they come.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "serve/file_store_parts.h"
#include "serve/file_store_record.h"

#define FILE_STORE_UPLOAD_WINDOW (FILE_STORE_UNWRITTEN_BYTES / 8)

struct file_store_upload {
	struct file_store *store;
	struct file_store_owner *owner; /* charged */
	struct digest *digest;          /* owned */
	int fd;                         /* owned */
	uint64_t size_bytes;
	uint64_t sent_bytes; /* their way to the disk has begun; whole windows */
	bool failed;
	char name[FILE_STORE_ID_SIZE]; /* in incoming/ */
};

int file_store_upload_begin(struct file_store *s, const char *owner, struct file_store_upload **out,
			    struct err *e)
{
	char name[FILE_STORE_ID_SIZE];
	struct file_store_owner *charged;
	struct file_store_upload *u;
	int fd;

	if (!file_store_record_is_owner(owner))
		return err_input(e, "the owner of a file has at most %d bytes",
				 FILE_STORE_OWNER_MAX);
	charged = file_store_index_charge(&s->index, owner, e);
	if (!charged)
		return -1;
	file_store_record_new_id(name);
	fd = openat(s->incoming_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		err_sys(e, "begin a file");
		file_store_index_give_back(&s->index, charged, 0);
		return -1;
	}
	u = own_zeroed(1, sizeof(*u));
	*u = (struct file_store_upload){
		.store = s, .owner = charged, .digest = digest_begin(), .fd = fd};
	memcpy(u->name, name, sizeof(name));
	*out = u;
	return 0;
}

/* What is written was lost; anything else only means that this file system cannot be asked. */
static bool file_store_upload_is_lost(int bad)
{
	return bad && (errno == EIO || errno == ENOSPC || errno == EDQUOT);
}

/*
 * Send the windows that are full to the disk, and wait for an earlier one: a client that is faster
 * than the disk waits here, a little each time, instead of everybody at its end. An error that is
 * told here is not told to fsync(2) again.
 */
static int file_store_upload_write_back(struct file_store_upload *u)
{
	const off_t window = FILE_STORE_UPLOAD_WINDOW;
	const off_t most_behind = FILE_STORE_UNWRITTEN_BYTES - window;
	const unsigned send = SYNC_FILE_RANGE_WRITE;
	const unsigned wait = send | SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WAIT_AFTER;
	bool lost = false;

	for (; u->size_bytes - u->sent_bytes >= (uint64_t)window;
	     u->sent_bytes += (uint64_t)window) {
		off_t at = (off_t)u->sent_bytes;

		lost |= file_store_upload_is_lost(sync_file_range(u->fd, at, window, send));
		if (at >= most_behind)
			lost |= file_store_upload_is_lost(
				sync_file_range(u->fd, at - most_behind, window, wait));
	}
	return lost ? -1 : 0;
}

static int file_store_upload_write(struct file_store_upload *u, const void *bytes, size_t length,
				   struct err *e)
{
	struct file_store_index *x = &u->store->index;

	if (file_store_index_check_size(x, u->size_bytes, length, e) ||
	    file_store_index_charge_bytes(x, u->owner, length, e))
		return -1;
	u->size_bytes += length;
	if (io_write_all(u->fd, bytes, length) || file_store_upload_write_back(u))
		return err_sys(e, "write a file");
	digest_add(u->digest, bytes, length);
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

/* Everything but the charge, which a file keeps. */
static void file_store_upload_free(struct file_store_upload *u)
{
	char ignored[DIGEST_HEX];

	if (u->digest)
		digest_end(u->digest, ignored);
	own_close(&u->fd);
	free(u);
}

void file_store_upload_abandon(struct file_store_upload *u)
{
	if (!u)
		return;
	unlinkat(u->store->incoming_fd, u->name, 0);
	file_store_index_give_back(&u->store->index, u->owner, u->size_bytes);
	file_store_upload_free(u);
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
	int bad;

	digest_end(take_ptr(&u->digest), sha256);
	bad = u->failed ? err_input(e, "this upload has failed already")
			: file_store_commit(u->store, &arrival, filename, out, e);
	if (bad)
		file_store_upload_abandon(u);
	else
		file_store_upload_free(u);
	return bad;
}
