/*
 * dockerfile_context - the files that a Dockerfile may copy, and the Dockerfile itself.
 */
#include "dockerfile_context.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "fs/resolve.h"
#include "rootfs/archive/extract.h"
#include "rootfs/archive/interrupt.h"
#include "rootfs/archive/reader.h"

void dockerfile_context_fini(struct dockerfile_context *c)
{
	own_close(&c->fd);
	own_close(&c->file_fd);
	work_discard(&c->work);
}

bool dockerfile_context_is_archive(int fd)
{
	struct err ignored;
	auto_reader struct reader *r = reader_open(fd, "the archive", &ignored);
	struct entry entry;

	return r && reader_next(r, &entry, &ignored) > 0;
}

/* -- standard input -------------------------------------------------------------------------- */

/* A pipe cannot be read twice. */
static int dockerfile_context_spool(const struct store *store, struct err *e)
{
	auto_fd int fd = openat(store->tmp_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	static char chunk[1 << 17];
	ssize_t n;

	if (fd < 0)
		return err_sys(e, "make a file in %s", store->path);
	while ((n = read(STDIN_FILENO, chunk, sizeof(chunk))) != 0) {
		if (interrupt_check(e))
			return -1;
		if (n < 0 && errno != EINTR)
			return err_sys(e, "read standard input");
		if (n > 0 && io_write_all(fd, chunk, (size_t)n))
			return err_sys(e, "keep standard input");
	}
	return lseek(fd, 0, SEEK_SET) ? err_sys(e, "read standard input") : take_fd(&fd);
}

static int dockerfile_context_unpack(int fd, struct dockerfile_context *c, struct err *e)
{
	auto_reader struct reader *r = NULL;
	struct extract x;
	int status;

	extract_init(&x, c->work.root_fd, EXTRACT_BYTES_DEFAULT);
	r = reader_open(fd, "the context", e);
	status = r ? extract_archive(&x, r, EXTRACT_ALL, e) : -1;
	extract_report(&x);
	extract_fini(&x);
	if (status)
		return -1;
	c->is_archive = true;
	c->fd = openat(c->work.root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return c->fd < 0 ? err_sys(e, "open the context") : 0;
}

static int dockerfile_context_receive(struct store *store, struct dockerfile_context *c,
				      struct err *e)
{
	auto_fd int fd = -1;

	if (store_open(store, e))
		return -1;
	fd = dockerfile_context_spool(store, e);
	if (fd < 0)
		return -1;
	if (!dockerfile_context_is_archive(fd)) {
		c->file_fd = take_fd(&fd);
		return lseek(c->file_fd, 0, SEEK_SET) ? err_sys(e, "read standard input") : 0;
	}
	if (lseek(fd, 0, SEEK_SET))
		return err_sys(e, "read standard input");
	return work_start(store, &c->work, e) || dockerfile_context_unpack(fd, c, e) ? -1 : 0;
}

/* -- the files ------------------------------------------------------------------------------- */

int dockerfile_context_open(const char *path, const char *file, struct store *store,
			    struct dockerfile_context *out, struct err *e)
{
	/* A terminal has no archive: of one, standard input is read only for the Dockerfile. */
	if (!strcmp(path, "-"))
		return *file && isatty(STDIN_FILENO) ? 0
						     : dockerfile_context_receive(store, out, e);
	if (strstr(path, "://"))
		return err_set(e, ERR_UNSUPPORTED,
			       "%.200s is not fetched: the context is a directory of this machine",
			       path);
	out->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return out->fd < 0 ? err_sys(e, "open the context %.200s", path) : 0;
}

int dockerfile_context_open_beneath(int context_fd, const char *name)
{
	auto_fd int fd = resolve_open(context_fd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY,
				      RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	if (S_ISREG(st.st_mode))
		return take_fd(&fd);
	errno = EINVAL;
	return -1;
}

int dockerfile_context_open_file(struct dockerfile_context *c, const char *path, const char *file,
				 struct err *e)
{
	const char *name = *file ? file : "Dockerfile";
	int fd;

	if (c->is_archive || (!*file && c->file_fd < 0))
		fd = dockerfile_context_open_beneath(c->fd, name);
	else if (c->file_fd >= 0 && (!*file || !strcmp(file, "-")))
		fd = take_fd(&c->file_fd);
	else if (!strcmp(file, "-"))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		fd = io_open_to_read(AT_FDCWD, file);
	if (fd < 0 && errno == EXDEV)
		return err_input(e, "the Dockerfile %.200s lies outside of the context", name);
	if (fd < 0 && errno == ENOENT && (!*file || c->is_archive))
		return err_set(e, ERR_NOT_FOUND,
			       "there is no %.100s in %.200s: -f FILE names another", name,
			       c->is_archive ? "the archive" : path);
	return fd < 0 ? err_sys(e, "open %.200s", name) : fd;
}
