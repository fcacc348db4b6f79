/*
 * private_dir - a private directory for our sockets, locks and names.
 */
#include "fs/private_dir.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/omit.h"
#include "fs/trusted_path.h"

/* Returns an owned descriptor of the parent directory, or -1. @name becomes the last name. */
static int private_dir_make(const char *path, const char **name, struct err *e)
{
	auto_fd int parent = trusted_path_parent(written_path(path), LINKS_OF_CALLER, name, e);

	/* A system with nothing but our program lacks /run, too. */
	if (parent < 0 && e->number == ENOENT && !strcmp(path, PRIVATE_DIR_ROOT))
		parent = trusted_path_make(written_path("/run"), LINKS_OF_CALLER, e);
	if (parent < 0)
		return -1;
	if (mkdirat(parent, *name, 0700) && errno != EEXIST)
		return err_sys(e, "make %.300s", path);
	return take_fd(&parent);
}

int private_dir_open_at(int parent, const char *name, const char *path, struct err *e)
{
	auto_fd int fd = -1;
	struct stat st;

	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open %.300s", path);
	if (!fs_omits("private-dir") &&
	    (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH))))
		return err_input(e, "%.300s must be yours alone: chown, chmod 700", path);
	return take_fd(&fd);
}

int private_dir_open(const char *path, struct err *e)
{
	const char *name;
	auto_fd int parent = private_dir_make(path, &name, e);

	return parent < 0 ? -1 : private_dir_open_at(parent, name, path, e);
}

/* Whether the caller named it: then the remedy is to name another place, or none. */
static bool private_dir_is_named(const char *path)
{
	const char *named = getenv("XDG_RUNTIME_DIR");

	return named && *named && !strncmp(path, named, strlen(named));
}

/* Whether we make its parents, too, and make it private. */
static bool private_dir_is_state(const char *path)
{
	size_t length = strlen(path);
	size_t state = strlen(PRIVATE_DIR_STATE);

	return !private_dir_is_named(path) && length > state &&
	       !strcmp(path + length - state, PRIVATE_DIR_STATE);
}

static void private_dir_set_remedy(const char *path, struct private_dir_fault *fault)
{
	const char *remedy = "export XDG_RUNTIME_DIR=DIRECTORY, one of yours alone";

	if (private_dir_is_named(path))
		remedy = "unset XDG_RUNTIME_DIR";
	else if (!strcmp(path, PRIVATE_DIR_ROOT))
		remedy = "mount -t tmpfs -o mode=755 none /run"; /* a read-only system */
	snprintf(fault->remedy, sizeof(fault->remedy), "%s", remedy);
}

/* The nearest existing parent directory decides. */
static bool private_dir_can_be_made(const char *path, struct private_dir_fault *fault)
{
	auto_free char *above = own_printf("%s", path);
	const char *why = "what should hold it is not there";
	int names = private_dir_is_state(path) ? 3 : 1;
	struct stat st;

	do
		*strrchr(above, '/') = '\0';
	while (--names && lstat(above, &st));
	if (!access(*above ? above : "/", W_OK | X_OK))
		return true;
	private_dir_set_remedy(path, fault);
	if (errno != ENOENT)
		why = strerror(errno);
	else if (private_dir_is_named(path))
		why = "XDG_RUNTIME_DIR names no directory";
	snprintf(fault->what, sizeof(fault->what), "%.300s cannot be made: %s", path, why);
	return false;
}

static bool private_dir_is_ours(const char *path, const struct stat *st,
				struct private_dir_fault *fault)
{
	const char *wrong = NULL;

	private_dir_set_remedy(path, fault);
	if (!S_ISDIR(st->st_mode))
		wrong = "is not a directory";
	else if (st->st_uid != geteuid())
		wrong = "is another user's, and must be yours alone";
	else if (st->st_mode & 022 && private_dir_is_state(path))
		wrong = "is unsafe: others can write to it, so what is in there may be theirs";
	if (wrong) {
		snprintf(fault->what, sizeof(fault->what), "%.300s %s", path, wrong);
		if (!private_dir_is_named(path))
			snprintf(fault->remedy, sizeof(fault->remedy), "rm -r %.290s", path);
		return false;
	}
	if (st->st_mode & 077 && !private_dir_is_state(path)) {
		snprintf(fault->what, sizeof(fault->what), "%.300s must be yours alone", path);
		snprintf(fault->remedy, sizeof(fault->remedy), "chmod 700 %.280s", path);
		return false;
	}
	if (!access(path, W_OK | X_OK))
		return true;
	snprintf(fault->what, sizeof(fault->what), "%.300s cannot be written to: %s", path,
		 strerror(errno));
	return false;
}

bool private_dir_is_usable(const char *path, struct private_dir_fault *fault)
{
	struct stat st;

	if (!lstat(path, &st))
		return private_dir_is_ours(path, &st, fault);
	if (errno == ENOENT)
		return private_dir_can_be_made(path, fault);
	private_dir_set_remedy(path, fault);
	snprintf(fault->what, sizeof(fault->what), "%.300s cannot be reached: %s", path,
		 strerror(errno));
	return false;
}

int private_dir_check(const char *path, struct err *e)
{
	struct private_dir_fault fault;

	if (private_dir_is_usable(path, &fault))
		return 0;
	return err_input(e, "%s: %s", fault.what, fault.remedy);
}

/* Whether pam_systemd makes it at a login, or lingering keeps it. */
static bool private_dir_is_logins(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 077);
}

/*
 * An earlier version may have left one in the home that other users could read. They could not
 * write to it, so make it private from here on.
 */
static int private_dir_make_state(const char *home, const char *path, struct err *e)
{
	static const char *const names[] = {"/.local", "/.local/state", PRIVATE_DIR_STATE};
	auto_fd int fd = -1;
	struct stat st;

	if (private_dir_check(path, e))
		return -1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		auto_free char *dir = own_printf("%s%s", home, names[i]);
		const char *name;
		auto_fd int parent = private_dir_make(dir, &name, e);

		if (parent < 0)
			return err_prefix(e, "XDG_RUNTIME_DIR names another place");
	}
	fd = private_dir_open(path, e);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && (st.st_mode & 077) && fchmod(fd, 0700))
		return err_sys(e, "make %.300s yours alone", path);
	return 0;
}

int private_dir_of_user(bool make, char *out, size_t size, struct err *e)
{
	const char *named = getenv("XDG_RUNTIME_DIR");
	const char *home = getenv("HOME");
	char login[64];

	/*
	 * A daemon would resolve a relative path from another directory (XDG Base Directory
	 * Specification).
	 */
	if (named && *named && *named != '/')
		return err_input(e, "XDG_RUNTIME_DIR=%.200s is not an absolute path", named);
	snprintf(login, sizeof(login), "/run/user/%u", geteuid());
	if (named && *named) {
		snprintf(out, size, "%s/glovebox", named);
		return 0;
	}
	if (geteuid() == 0) {
		snprintf(out, size, PRIVATE_DIR_ROOT);
		return 0;
	}
	if (private_dir_is_logins(login)) {
		snprintf(out, size, "%s/glovebox", login);
		return 0;
	}
	if (!home || *home != '/')
		return err_input(e,
				 "there is no place for sockets and locks of yours: set "
				 "XDG_RUNTIME_DIR (a login does, su(1) does not) or HOME");
	if (strlen(home) + sizeof(PRIVATE_DIR_STATE) >= size)
		return err_input(e, "HOME=%.100s... is too long", home);
	snprintf(out, size, "%s" PRIVATE_DIR_STATE, home);
	return make ? private_dir_make_state(home, out, e) : 0;
}
