/*
 * egress_preset - lists of hosts that have a name, in files.
 */
#include "spec/egress_preset.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"

#define FILE_BYTES 65536

/* Each writes the path of a directory; false: there is none. */
struct place {
	bool (*path)(char out[PATH_MAX]);
	bool is_ours; /* as trusted as our own program */
};

/* -- where they are --------------------------------------------------------------------------- */

static bool egress_preset_fits(int length)
{
	return length > 0 && length < PATH_MAX;
}

static bool egress_preset_user(char out[PATH_MAX])
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (config && *config == '/')
		return egress_preset_fits(snprintf(out, PATH_MAX, "%s/glovebox/egress.d", config));
	return home && *home == '/' &&
	       egress_preset_fits(snprintf(out, PATH_MAX, "%s/.config/glovebox/egress.d", home));
}

static bool egress_preset_machine(char out[PATH_MAX])
{
	return egress_preset_fits(snprintf(out, PATH_MAX, "/etc/glovebox/egress.d"));
}

static bool egress_preset_beside(char out[PATH_MAX])
{
	static const char *const beside[] = {"../share/glovebox/egress", "../../policy/egress",
					     "../../../policy/egress"};
	char self[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return false;
	self[n] = '\0';
	dirname(self);
	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		auto_free char *path = own_printf("%s/%s", self, beside[i]);

		if (!access(path, F_OK) && realpath(path, out))
			return true;
	}
	return false;
}

static const struct place places[] = {
	{egress_preset_user,    false},
	{egress_preset_machine, false},
	{egress_preset_beside,  true },
};

#define PLACES (sizeof(places) / sizeof(places[0]))

/* -- reading one ------------------------------------------------------------------------------ */

bool egress_preset_is_name(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";

	return *text && *text != '-' && strspn(text, letters) == strlen(text);
}

/* Owned; -1 with ERR_SYSTEM if it cannot be opened. */
static int egress_preset_open(int dir_fd, const char *name, mode_t type, bool is_ours,
			      struct err *e)
{
	const int how = O_RDONLY | O_NONBLOCK | O_CLOEXEC | (is_ours ? 0 : O_NOFOLLOW);
	auto_fd int fd = openat(dir_fd, name, how);
	struct stat st;

	if (fd < 0 && errno == ELOOP)
		return err_input(e, "it must not be a link");
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open it");
	if ((st.st_mode & S_IFMT) != type)
		return err_input(e, "it must be a %s", type == S_IFDIR ? "directory" : "file");
	if (is_ours)
		return take_fd(&fd);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return err_input(e, "it must belong to root or to you, and belongs to uid %u",
				 st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return err_input(e, "others may write to it: chmod go-w");
	return take_fd(&fd);
}

static bool egress_preset_is_missing(const struct err *e)
{
	return e->kind == ERR_SYSTEM && (e->number == ENOENT || e->number == ENOTDIR);
}

/* 1: this directory has none. */
static int egress_preset_try(const struct place *place, const char *name, struct egress_preset *out,
			     struct err *e)
{
	char directory[PATH_MAX];
	auto_fd int dir_fd = -1;
	auto_fd int fd = -1;

	if (!place->path(directory))
		return 1;
	dir_fd = egress_preset_open(AT_FDCWD, directory, S_IFDIR, place->is_ours, e);
	if (dir_fd < 0)
		return egress_preset_is_missing(e) ? 1 : err_prefix(e, "%.300s", directory);
	if (!egress_preset_fits(snprintf(out->path, PATH_MAX, "%s/%s", directory, name)))
		return 1;
	fd = egress_preset_open(dir_fd, name, S_IFREG, place->is_ours, e);
	if (fd < 0)
		return egress_preset_is_missing(e) ? 1 : err_prefix(e, "%.300s", out->path);
	if (io_read_fd(fd, out->path, FILE_BYTES, &out->text, e))
		return -1;
	if (memchr(buf_string(&out->text), '\0', out->text.length))
		return err_input(e, "%.300s has a NUL byte", out->path);
	return 0;
}

static int egress_preset_refuse(const char *name, unsigned from, struct err *e)
{
	auto_buf struct buf searched = {0};
	char path[PATH_MAX];

	for (unsigned i = from; i < PLACES; i++) {
		if (places[i].path(path))
			buf_printf(&searched, "%s%.100s", searched.length ? ", " : "", path);
	}
	return err_input(e,
			 "there is no list \"%.64s\" in %s; a host has a dot or a port: "
			 "%.64s:443",
			 name, searched.length ? buf_string(&searched) : "any place", name);
}

int egress_preset_read(const char *name, unsigned from, struct egress_preset *out, struct err *e)
{
	*out = (struct egress_preset){0};
	if (strlen(name) > EGRESS_PRESET_NAME)
		return err_input(e, "\"%.64s...\" is too long for the name of a list", name);
	for (unsigned i = from; i < PLACES; i++) {
		int found = egress_preset_try(&places[i], name, out, e);

		out->place = i;
		if (!found)
			return 0;
		buf_fini(&out->text);
		if (found < 0)
			return -1;
	}
	return egress_preset_refuse(name, from, e);
}
