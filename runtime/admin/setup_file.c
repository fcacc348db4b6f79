/*
 * setup_file - our files below /etc, written completely or not at all.
 */
#include "admin/setup_file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin/setup_plan.h"
#include "base/io.h"
#include "base/own.h"
#include "base/say.h"
#include "fs/trusted_path.h"

#define LOCK           "/run/glovebox-setup.lock"
#define FILE_MAX_BYTES (64u << 10)
#define TEXT_MAX_BYTES (16u << 20)
#define DIRECTORY      (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* A directory or a file: another user who can write there could exchange what we judge. */
static int setup_file_judge(int fd, const char *path, int length, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_sys(e, "look at %.*s", length, path);
	if ((st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return err_input(e, "%.*s must be root's alone to write", length, path);
	return 0;
}

/* Go one name further. -1 with *e; make a missing directory, or set e->number to ENOENT. */
static int setup_file_enter(int at, const char *path, int length, const char *name, bool make,
			    struct err *e)
{
	auto_fd int fd = -1;

	if (make && mkdirat(at, name, 0755) && errno != EEXIST)
		return err_sys(e, "make %.*s", length, path);
	fd = openat(at, name, DIRECTORY);
	if (fd < 0)
		return err_sys(e, "open %.*s (no link is followed)", length, path);
	return setup_file_judge(fd, path, length, e) ? -1 : take_fd(&fd);
}

/* Open the parent directory; *name becomes the last name. */
static int setup_file_open_parent(int root_fd, const char *path, bool make, const char **name,
				  struct err *e)
{
	auto_fd int fd = openat(root_fd, ".", DIRECTORY);
	const char *p = path + 1;

	if (fd < 0)
		return err_sys(e, "open the root of %s", path);
	for (const char *slash; (slash = strchr(p, '/')); p = slash + 1) {
		auto_free char *part = own_strndup(p, (size_t)(slash - p));
		int next = setup_file_enter(fd, path, (int)(slash - path), part, make, e);

		if (next < 0)
			return -1;
		own_close(&fd);
		fd = next;
	}
	*name = p;
	return take_fd(&fd);
}

int setup_file_root(const char *dir, struct err *e)
{
	auto_fd int fd = -1;

	if (!dir) {
		fd = open("/", DIRECTORY);
		return fd < 0 ? err_sys(e, "open /") : take_fd(&fd);
	}
	fd = trusted_path_directory(dir, LINKS_OF_SYSTEM, e);
	return fd < 0 || setup_file_judge(fd, dir, (int)strlen(dir), e) ? -1 : take_fd(&fd);
}

int setup_file_lock(int root_fd, struct err *e)
{
	const char *name;
	auto_fd int dir_fd = setup_file_open_parent(root_fd, LOCK, true, &name, e);
	auto_fd int fd = -1;
	struct stat st;

	if (dir_fd < 0)
		return -1;
	fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open " LOCK " (no link is followed)");
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
		return err_input(e, LOCK " must be root's alone: remove it");
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return take_fd(&fd);
	say_warning("another setup is at work here: waiting for its end");
	while (flock(fd, LOCK_EX))
		if (errno != EINTR)
			return err_sys(e, "lock " LOCK);
	return take_fd(&fd);
}

int setup_file_text(int root_fd, const char *path, struct buf *out, struct err *e)
{
	const char *name;
	auto_fd int dir_fd = setup_file_open_parent(root_fd, path, false, &name, e);
	auto_fd int fd = -1;
	struct stat st;

	if (dir_fd < 0)
		return e->number == ENOENT ? 0 : -1;
	fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open %s (no link is followed)", path);
	if (!S_ISREG(st.st_mode))
		return err_input(e, "%s is not a file", path);
	if (setup_file_judge(fd, path, (int)strlen(path), e))
		return -1;
	return io_read_fd(fd, path, TEXT_MAX_BYTES, out, e);
}

/* 1: it is ours; 0: it does not exist. */
static int setup_file_read_at(int dir_fd, const char *name, const char *path, struct buf *out,
			      struct err *e)
{
	auto_fd int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open %s (no link is followed)", path);
	if (!S_ISREG(st.st_mode) || io_read_fd(fd, path, FILE_MAX_BYTES, out, e) ||
	    strncmp(buf_string(out), SETUP_MARK, strlen(SETUP_MARK)) != 0)
		return err_input(e, "%s is not of our making: move it away first", path);
	return 1;
}

int setup_file_read(int root_fd, const char *path, struct buf *out, struct err *e)
{
	const char *name;
	auto_fd int dir_fd = setup_file_open_parent(root_fd, path, false, &name, e);

	if (dir_fd < 0)
		return e->number == ENOENT ? 0 : -1;
	return setup_file_read_at(dir_fd, name, path, out, e);
}

/* The file appears under its name when all of it is on the disk. */
int setup_file_write(int root_fd, const char *path, const char *content, struct err *e)
{
	const char *name;
	auto_fd int dir_fd = setup_file_open_parent(root_fd, path, true, &name, e);
	auto_buf struct buf former = {0};
	auto_free char *new_name = NULL;
	auto_fd int fd = -1;

	if (dir_fd < 0 || setup_file_read_at(dir_fd, name, path, &former, e) < 0)
		return -1;
	new_name = own_printf(".%s.new", name);
	(void)unlinkat(dir_fd, new_name, 0); /* left by a killed one */
	fd = openat(dir_fd, new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(e, "write %s", path);
	if (fchmod(fd, 0644) || io_write_all(fd, content, strlen(content)) || fsync(fd) ||
	    renameat(dir_fd, new_name, dir_fd, name)) {
		err_sys(e, "write %s", path);
		unlinkat(dir_fd, new_name, 0);
		return -1;
	}
	return 0;
}

int setup_file_remove(int root_fd, const char *path, struct err *e)
{
	const char *name;
	auto_buf struct buf former = {0};
	auto_fd int dir_fd = setup_file_open_parent(root_fd, path, false, &name, e);
	int found;

	if (dir_fd < 0)
		return e->number == ENOENT ? 0 : -1;
	found = setup_file_read_at(dir_fd, name, path, &former, e);
	if (found <= 0)
		return found;
	return unlinkat(dir_fd, name, 0) ? err_sys(e, "remove %s", path) : 0;
}
