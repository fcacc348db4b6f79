/*
 * spool - a body that is kept until it is complete, in a file without a name.
 */
#include "engine/spool.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "fs/state_dir.h"

#define ROOM_KEPT 20 /* a part of this many of the file system stays free */

struct spool {
	int fd; /* owned; -1 */
	int error;
};

static void spool_forget(struct request *r)
{
	struct spool *s = r->work;

	r->work = NULL;
	r->abandon = NULL;
	own_close(&s->fd);
	free(s);
}

static struct spool *spool_begin(struct request *r)
{
	struct spool *s = own_zeroed(1, sizeof(*s));
	struct err ignored;
	auto_fd int folder = state_dir_open("engine", true, &ignored);

	s->fd = folder < 0 ? -1 : openat(folder, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	s->error = s->fd < 0 ? errno : 0;
	r->work = s;
	r->abandon = spool_forget;
	return s;
}

/* Bodies of several clients together must not fill the disk of what runs. */
static bool spool_has_room(int fd)
{
	struct statvfs fs;

	return fstatvfs(fd, &fs) || fs.f_bavail > fs.f_blocks / ROOM_KEPT;
}

bool spool_take(struct request *r, const char *bytes, size_t length)
{
	struct spool *s = r->work ? r->work : spool_begin(r);

	if (!s->error && length && !spool_has_room(s->fd))
		s->error = ENOSPC;
	if (!s->error && length && io_write_all(s->fd, bytes, length))
		s->error = errno;
	return !s->error;
}

int spool_end(struct request *r)
{
	struct spool *s = r->work ? r->work : spool_begin(r);
	int fd = take_fd(&s->fd);

	const int error = !s->error && lseek(fd, 0, SEEK_SET) ? errno : s->error;

	spool_forget(r); /* first: with its reply the request ends */
	if (!error)
		return fd;
	own_close(&fd);
	request_refuse(r, 500, "keep the body: %s", strerror(error));
	return -1;
}
