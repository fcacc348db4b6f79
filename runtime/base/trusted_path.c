/*
 * trusted_path - open a path of the user's, unless a program may have redirected it.
 */
#include "base/trusted_path.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/make_dir.h"
#include "base/own.h"

/* A walk: the directory reached, and the rest of the path. */
struct walk {
	const char *path;
	const char *rest;
	int dir_fd; /* owned */
	bool make;
};

static bool trusted_path_is_directory(int fd, const char *path)
{
	struct stat a;
	struct stat b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool trusted_path_is_in_procfs(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Out of reach of programs, which have our rights at most. */
static bool trusted_path_is_out_of_reach(int dir_fd)
{
	struct stat st;

	if (trusted_path_is_in_procfs(dir_fd) || trusted_path_is_directory(dir_fd, "/") ||
	    trusted_path_is_directory(dir_fd, "/dev"))
		return true;
	return !fstat(dir_fd, &st) && st.st_uid != geteuid() &&
	       faccessat(dir_fd, ".", W_OK, AT_EACCESS) != 0;
}

static int trusted_path_refuse_link(const struct walk *w, struct err *e)
{
	return err_input(e,
			 "%.*s is a link, which a program may have put there: name what it "
			 "leads to",
			 (int)(w->rest - w->path), w->path);
}

/* Sets the next name, and w->rest to what follows. False: there is none. */
static bool trusted_path_next_name(struct walk *w, char name[NAME_MAX + 1], struct err *e)
{
	size_t length;

	w->rest += strspn(w->rest, "/");
	length = strcspn(w->rest, "/");
	if (length > NAME_MAX) {
		errno = ENAMETOOLONG;
		err_sys(e, "open %.200s", w->path);
		return false;
	}
	memcpy(name, w->rest, length);
	name[length] = '\0';
	w->rest += length;
	return length > 0;
}

static bool trusted_path_is_last(const struct walk *w)
{
	return !w->rest[strspn(w->rest, "/")];
}

static int trusted_path_enter(struct walk *w, const char *name, struct err *e)
{
	auto_fd int fd = openat(w->dir_fd, name, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	const int length = (int)(w->rest - w->path);
	struct stat st;

	if (fd < 0 && errno == ENOENT && w->make) {
		fd = make_dir_at(w->dir_fd, name, w->path, length, e);
		if (fd < 0)
			return -1;
	}
	if (fd >= 0 && !fstat(fd, &st) && S_ISLNK(st.st_mode)) {
		if (!trusted_path_is_out_of_reach(w->dir_fd))
			return trusted_path_refuse_link(w, e);
		own_close(&fd);
		fd = openat(w->dir_fd, name, O_PATH | O_CLOEXEC);
	}
	if (fd < 0)
		return err_sys(e, "open %.*s", length, w->path);
	own_close(&w->dir_fd);
	w->dir_fd = take_fd(&fd);
	return 0;
}

static int trusted_path_begin(struct walk *w, const char *path, bool make, struct err *e)
{
	*w = (struct walk){.path = path, .rest = path, .make = make};
	w->dir_fd = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return w->dir_fd < 0 ? err_sys(e, "find the current directory") : 0;
}

int trusted_path_directory(const char *path, bool make, struct err *e)
{
	char name[NAME_MAX + 1];
	struct walk w;
	int fd = -1;

	*e = (struct err){0};
	if (trusted_path_begin(&w, path, make, e))
		return -1;
	while (trusted_path_next_name(&w, name, e)) {
		if (trusted_path_enter(&w, name, e))
			break;
	}
	if (e->kind == ERR_NONE) {
		fd = openat(w.dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			err_sys(e, "open %.300s", path);
	}
	own_close(&w.dir_fd);
	return fd;
}

/* A FIFO without a reader fails here with ENXIO; with one it opens at once. */
static int trusted_path_open_file(const struct walk *w, const char *name, int flags, struct err *e)
{
	const int how = (flags & ~O_TRUNC) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	bool foreign = trusted_path_is_out_of_reach(w->dir_fd);
	auto_fd int fd = openat(w->dir_fd, name, how | (foreign ? 0 : O_NOFOLLOW), 0600);
	struct stat st = {0};

	if (fd < 0 && errno == ELOOP && !foreign)
		return trusted_path_refuse_link(w, e);
	if (fd < 0 && errno != ENXIO)
		return err_sys(e, "open %.300s", w->path);
	if (fd < 0 || fstat(fd, &st) ||
	    !(S_ISREG(st.st_mode) || (foreign && (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)))))
		return err_input(e, "%.300s is not an ordinary file: name one", w->path);
	if (fcntl(fd, F_SETFL, how & ~O_NONBLOCK) ||
	    ((flags & O_TRUNC) && S_ISREG(st.st_mode) && ftruncate(fd, 0)))
		return err_sys(e, "open %.300s", w->path);
	return take_fd(&fd);
}

int trusted_path_file(const char *path, int flags, struct err *e)
{
	char name[NAME_MAX + 1];
	struct walk w;
	int fd = -1;

	*e = (struct err){0};
	if (trusted_path_begin(&w, path, false, e))
		return -1;
	while (trusted_path_next_name(&w, name, e)) {
		if (trusted_path_is_last(&w)) {
			fd = trusted_path_open_file(&w, name, flags, e);
			break;
		}
		if (trusted_path_enter(&w, name, e))
			break;
	}
	if (fd < 0 && e->kind == ERR_NONE)
		err_input(e, "\"%.300s\" names no file", path);
	own_close(&w.dir_fd);
	return fd;
}
