/*
 * replaced_file - replace a user's file completely or not at all.
 */
#include "fs/replaced_file.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/random.h"
#include "fs/make_dir.h"

/* Whether the existing file, if any, may be replaced by a new one, of its mode. */
static bool replaced_file_may_be(int parent, const char *name, mode_t *mode)
{
	struct stat directory;
	struct stat st;

	if (!*name || fstat(parent, &directory) || make_dir_is_exchangeable(&directory))
		return false;
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT;
	*mode = st.st_mode & 0777;
	/* Do not replace a file that we could not write to in place. */
	return S_ISREG(st.st_mode) && st.st_nlink == 1 && st.st_uid == geteuid() &&
	       !faccessat(parent, name, W_OK, AT_EACCESS);
}

static int replaced_file_make(struct replaced_file *f, mode_t mode)
{
	uint64_t random;

	random_bytes(&random, sizeof(random));
	snprintf(f->beside, sizeof(f->beside), ".glovebox-%016llx", (unsigned long long)random);
	f->fd = openat(f->parent, f->beside,
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
		       mode ? mode & 0600 : 0644);
	if (f->fd >= 0 && (!mode || !fchmod(f->fd, mode)))
		return 0;
	if (f->fd >= 0)
		unlinkat(f->parent, f->beside, 0);
	own_close(&f->fd);
	f->beside[0] = '\0';
	return -1;
}

static int replaced_file_find(struct replaced_file *f, struct written_path path,
			      enum trusted_links links, struct err *e)
{
	const char *name;

	*f = (struct replaced_file){.fd = -1, .parent = -1};
	f->parent = trusted_path_parent(path, links, &name, e);
	if (f->parent < 0)
		return -1;
	f->name = own_strdup(name);
	return 0;
}

/* 0 if f->fd is open; otherwise clean up and return -1. */
static int replaced_file_is_open(struct replaced_file *f)
{
	if (f->fd >= 0)
		return 0;
	(void)replaced_file_end(f, false);
	return -1;
}

int replaced_file_open(struct replaced_file *f, struct written_path path, enum trusted_links links,
		       mode_t mode, struct err *e)
{
	mode_t kept = mode;

	if (replaced_file_find(f, path, links, e))
		return -1;
	if (!replaced_file_may_be(f->parent, f->name, &kept) || replaced_file_make(f, kept))
		f->fd = trusted_path_write(path, links, O_TRUNC, mode ? mode : 0644, e);
	return replaced_file_is_open(f);
}

/* Make the new file beside the old one, and a parent descriptor for fsync(2). */
static int replaced_file_make_durable(struct replaced_file *f, struct written_path path,
				      mode_t mode, struct err *e)
{
	int readable = openat(f->parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (readable < 0)
		return err_sys(e, "open the directory of %.300s", path.text);
	own_close(&f->parent);
	f->parent = readable;
	return replaced_file_make(f, mode)
		       ? err_sys(e, "make a file in the directory of %.300s", path.text)
		       : 0;
}

int replaced_file_open_durable(struct replaced_file *f, struct written_path path, struct err *e)
{
	mode_t mode = 0600;
	struct stat st;

	if (replaced_file_find(f, path, LINKS_OF_SYSTEM, e))
		return -1;
	f->durable = true;
	if (!replaced_file_may_be(f->parent, f->name, &mode))
		err_input(e,
			  "%.300s cannot be replaced: it must be a file of yours with one name, "
			  "in a directory where only you can write",
			  path.text);
	else
		(void)replaced_file_make_durable(f, path, mode, e);
	if (f->fd < 0 || fstatat(f->parent, f->name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !fchown(f->fd, (uid_t)-1, st.st_gid))
		return replaced_file_is_open(f);
	err_sys(e, "give the new %.300s its group", path.text);
	(void)replaced_file_end(f, false);
	return -1;
}

/* Sync the file before the rename: a crash may lose the rename, but never half of the file. */
static int replaced_file_rename(struct replaced_file *f)
{
	if (f->durable && fsync(f->fd))
		return -1;
	if (renameat(f->parent, f->beside, f->parent, f->name))
		return -1;
	return f->durable ? fsync(f->parent) : 0;
}

int replaced_file_end(struct replaced_file *f, bool whole)
{
	int bad = 0;

	if (*f->beside && whole)
		bad = replaced_file_rename(f);
	if (*f->beside && (!whole || bad)) {
		int saved = errno;

		unlinkat(f->parent, f->beside, 0);
		errno = saved;
	}
	own_close(&f->fd);
	own_close(&f->parent);
	own_free(&f->name);
	return bad;
}
