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
#include "host/mount_table.h"

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

/*
 * 1: it is in our mount namespace; 0: in another one (/proc/PID/root), where its path may be that
 * of anything else; -1 with *e.
 */
static int mount_bound_is_ours(int fd, struct err *e)
{
	auto_mount_table struct mount_table table = {0};
	auto_fd int table_fd = mount_table_open(e);
	auto_fd int root = open("/", O_PATH | O_CLOEXEC);
	uint64_t id;
	uint64_t root_id;

	if (table_fd < 0 || mount_table_read(table_fd, &table, e) || mount_table_id(fd, &id, e) ||
	    mount_table_id(root, &root_id, e))
		return -1;
	/* In a chroot the table may lack the mount of "/". */
	return id == root_id || mount_table_find(&table, id);
}

int mount_bound_check(const struct mount_spec *m, int fd, struct err *e)
{
	char path[PATH_MAX];
	int ours;

	if (!m->bounds)
		return 0;
	ours = mount_bound_is_ours(fd, e);
	if (ours <= 0)
		return ours < 0 ? -1 : mount_bound_refuse(m, m->bounds, e);
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
