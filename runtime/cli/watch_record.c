/*
 * watch_record - the file in which a selftest leaves what it found.
 */
#include "cli/watch_record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/lock.h"
#include "base/own.h"
#include "base/state_dir.h"
#include "base/trusted_path.h"

#define FILE_NAME  "selftest.json"
#define LOCK_NAME  ".selftest.lock"
#define NEW_NAME   ".selftest.json.new" /* the lock is held: nobody else writes it */
#define MOST_BYTES (1u << 20)
#define WAIT_US    120000000

static int watch_record_open_directory(struct watch_record *r, bool make, struct err *e)
{
	auto_free char *path = state_dir(true, e);
	auto_fd int found = -1;
	struct stat st;

	if (!path)
		return -1;
	if (strlen(path) + sizeof("/" NEW_NAME) > sizeof(r->path))
		return err_input(e, "the path of the record is too long: %.100s...", path);
	snprintf(r->path, sizeof(r->path), "%s/" FILE_NAME, path);
	found = make ? trusted_path_make(written_path(path), LINKS_OF_CALLER, e)
		     : trusted_path_find(path, LINKS_OF_CALLER, e);
	if (found < 0)
		return -1;
	r->dir = openat(found, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->dir < 0 || fstat(r->dir, &st))
		return err_sys(e, "open %.300s", path);
	if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return err_input(e, "%.300s must be yours alone: chown, chmod 755", path);
	return 0;
}

/* Until its holder has ended: a selftest of a daemon may take as long as ours. */
static int watch_record_lock(struct watch_record *r, struct err *e)
{
	/* Not the directory: whoever may read that could hold a lock on it. */
	r->lock = openat(r->dir, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (r->lock >= 0 && !lock_within(r->lock, LOCK_EX, WAIT_US))
		return 0;
	if (r->lock >= 0 && errno == EWOULDBLOCK)
		return err_set(e, ERR_BUSY, "another selftest is under way");
	return err_sys(e, "lock %.300s", r->path);
}

/* What another user has put there, or can change, is no record of ours. */
static int watch_record_read(struct watch_record *r, struct err *e)
{
	auto_fd int fd = openat(r->dir, FILE_NAME,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	auto_buf struct buf text = {0};
	struct stat st;
	struct err bad;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_nlink != 1 || st.st_mode & (S_IWGRP | S_IWOTH))
		return err_input(e, "%.300s is no file of yours alone: remove it", r->path);
	if (io_read_fd(fd, r->path, MOST_BYTES, &text, &bad) ||
	    !(r->was = json_parse(text.data, text.length, &bad)))
		err_string(&bad, r->broken, sizeof(r->broken));
	return 0;
}

int watch_record_open(struct watch_record *r, struct err *e)
{
	*r = (struct watch_record){.dir = -1, .lock = -1};
	return watch_record_open_directory(r, true, e) || watch_record_lock(r, e) ||
			       watch_record_read(r, e)
		       ? -1
		       : 0;
}

int watch_record_look(struct watch_record *r, struct err *e)
{
	*r = (struct watch_record){.dir = -1, .lock = -1};
	return watch_record_open_directory(r, false, e) || watch_record_read(r, e) ? -1 : 0;
}

void watch_record_close(struct watch_record *r)
{
	json_free(r->was);
	r->was = NULL;
	own_close(&r->lock);
	own_close(&r->dir);
}

int watch_record_write(const struct watch_record *r, const struct buf *document, struct err *e)
{
	auto_fd int fd = -1;

	/* What a selftest that was killed has left. */
	(void)unlinkat(r->dir, NEW_NAME, 0);
	fd = openat(r->dir, NEW_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd >= 0 && !fchmod(fd, 0644) && !io_write_all(fd, document->data, document->length) &&
	    !fsync(fd) && !renameat(r->dir, NEW_NAME, r->dir, FILE_NAME)) {
		(void)fsync(r->dir);
		return 0;
	}
	err_sys(e, "write %.300s", r->path);
	(void)unlinkat(r->dir, NEW_NAME, 0);
	return -1;
}
