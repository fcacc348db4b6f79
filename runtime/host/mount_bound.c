/*
 * mount_bound - hold what is mounted in the directories that the files of ceilings name.
 */
#include "host/mount_bound.h"

#include <fcntl.h>
#include <string.h>

#include "base/buf.h"
#include "base/fd_path.h"
#include "base/own.h"
#include "base/path.h"
#include "fs/make_dir.h"
#include "fs/trusted_path.h"

static int mount_bound_refuse(const struct mount_spec *m, const struct mount_bound *bound,
			      struct err *e)
{
	auto_buf struct buf places = {0};

	for (size_t i = 0; i < bound->places.count; i++)
		buf_printf(&places, "%s%s", i ? ", " : "what is in ", bound->places.items[i]);
	return err_set(
		e, ERR_LIMIT, "%.200s cannot be mounted: only %.300s can (\"mounts\" in %.300s)",
		m->source, places.length ? buf_string(&places) : "a volume by name", bound->file);
}

/* 1: the path is in the place; 0: it is not, or the place is missing; -1 with *e. */
static int mount_bound_holds(const char *place, const char *path, struct err *e)
{
	auto_fd int fd = trusted_path_find(place, LINKS_OF_SYSTEM, e);
	char real[PATH_MAX];

	if (fd < 0)
		return e->kind == ERR_SYSTEM && e->number == ENOENT ? 0 : -1;
	if (fd_path_read(fd, real))
		return err_sys(e, "read where %.300s leads", place);
	return !strcmp(real, "/") || path_is_at_or_below(path, real);
}

static int mount_bound_check_one(const struct mount_spec *m, const struct mount_bound *bound,
				 const char *path, struct err *e)
{
	for (size_t i = 0; i < bound->places.count; i++) {
		int holds = mount_bound_holds(bound->places.items[i], path, e);

		if (holds)
			return holds < 0 ? err_prefix(e, "%.300s: \"mounts\"", bound->file) : 0;
	}
	return mount_bound_refuse(m, bound, e);
}

int mount_bound_check(const struct mount_spec *m, int fd, struct err *e)
{
	char path[PATH_MAX];

	if (!m->bounds)
		return 0;
	if (fd_path_read(fd, path))
		return err_sys(e, "read where %.300s leads", m->source);
	for (const struct mount_bound *bound = m->bounds; bound->file; bound++) {
		if (mount_bound_check_one(m, bound, path, e))
			return -1;
	}
	return 0;
}

/* Cut the last name of a path. Returns false if none remains. */
static bool mount_bound_cut(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
	return slash;
}

/* Open the source, or the nearest directory above it that can be: @path is cut there. */
static int mount_bound_nearest(char *path, struct err *e)
{
	int fd;

	do {
		fd = trusted_path_find(*path ? path : "/", LINKS_OF_CALLER, e);
	} while (fd < 0 && mount_bound_cut(path));
	return fd;
}

int mount_bound_missing(const struct mount_spec *m, struct err *e)
{
	auto_free char *path = NULL;
	auto_fd int fd = -1;
	struct err ignored;

	if (!m->bounds)
		return 0;
	path = own_strdup(m->source);
	fd = mount_bound_nearest(path, &ignored);
	return fd < 0 ? mount_bound_refuse(m, m->bounds, e) : mount_bound_check(m, fd, e);
}

int mount_bound_make(const struct mount_spec *m, struct err *e)
{
	auto_free char *path = NULL;
	auto_fd int fd = -1;
	const char *at;

	if (!m->bounds)
		return trusted_path_make(written_path(m->source), LINKS_OF_CALLER, e);
	path = own_strdup(m->source);
	fd = mount_bound_nearest(path, e);
	if (fd < 0 || mount_bound_check(m, fd, e))
		return -1;
	at = m->source + strlen(path);
	while (*(at += strspn(at, "/"))) {
		const size_t length = strcspn(at, "/");
		auto_free char *name = own_strndup(at, length);
		int next;

		at += length;
		if (!strcmp(name, "."))
			continue;
		if (!strcmp(name, ".."))
			return err_input(e, "%.200s contains \"..\": give the path itself",
					 m->source);
		next = make_dir_at(fd, name, m->source, (int)(at - m->source), e);
		if (next < 0)
			return -1;
		own_close(&fd);
		fd = next;
	}
	return take_fd(&fd);
}
