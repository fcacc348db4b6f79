/*
 * make_dir - make a missing directory of a path that a user named.
 */
#include "fs/make_dir.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/own.h"

bool make_dir_is_owner(uid_t uid)
{
	return uid == geteuid() || uid == 0;
}

/*
 * An ordinary user's directory may be writable for its group: usually the user is its only member,
 * and the files stay the user's. Root is stricter.
 */
bool make_dir_is_shared(const struct stat *directory)
{
	mode_t others = geteuid() == 0 ? S_IWGRP | S_IWOTH : S_IWOTH;

	return !make_dir_is_owner(directory->st_uid) || (directory->st_mode & others);
}

/* A directory's owner can exchange all its names, even with the sticky bit. */
bool make_dir_is_exchangeable(const struct stat *directory)
{
	return make_dir_is_shared(directory) &&
	       (!make_dir_is_owner(directory->st_uid) || !(directory->st_mode & S_ISVTX));
}

int make_dir_at(int parent_fd, const char *name, const char *path, int length, struct err *e)
{
	auto_fd int fd = -1;
	struct stat st;
	bool made;

	if (fstat(parent_fd, &st))
		return err_sys(e, "look at the directory around %.*s", length, path);
	if (make_dir_is_exchangeable(&st))
		return err_input(e,
				 "%.*s is missing, and other users can write to the directory "
				 "around it: make it yourself (mkdir)",
				 length, path);
	made = !mkdirat(parent_fd, name, 0755);
	if (!made && errno != EEXIST)
		return err_sys(e, "make the missing directory %.*s", length, path);
	fd = openat(parent_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open the new directory %.*s", length, path);
	if (made && st.st_uid != geteuid())
		return err_input(e, "%.*s was exchanged while it was made", length, path);
	return take_fd(&fd);
}
