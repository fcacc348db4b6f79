/*
 * root_mounts - the spec's own mounts: binds of host paths, tmpfs, the staged /output.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/parse.h"
#include "base/path.h"
#include "host/make_dirs.h"
#include "host/root_plan.h"

#define MAX_MOUNTINFO    (16u << 20)
#define TMPFS_ATTRIBUTES (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

static int add_tmpfs(struct root_plan *plan, const struct mount_spec *m, struct idmap *map,
		     struct err *e)
{
	struct root_op *op;
	uint32_t uid = m->uid >= 0 ? (uint32_t)m->uid : map->inside_uid;
	uint32_t gid = m->gid >= 0 ? (uint32_t)m->gid : map->inside_gid;

	if (idmap_add_owner(map, uid, gid, e))
		return err_prefix(e, "--tmpfs %.200s", m->target);
	root_plan_dirs(plan, m->target);
	op = root_plan_add(plan, ROOT_TMPFS, m->target);
	op->source = spec_printf(plan->arena,
				 "uid=%u,gid=%u,mode=%o,size=%" PRIu64 ",nr_inodes=%" PRIu64, uid,
				 gid, m->mode, m->size_bytes, m->inodes);
	op->attributes = TMPFS_ATTRIBUTES | (m->exec ? 0 : MOUNT_ATTR_NOEXEC) |
			 (m->read_only ? MOUNT_ATTR_RDONLY : 0);
	op->landlock_write = !m->read_only;
	op->send_fd = m->kind == MOUNT_STAGE;
	return 0;
}

/*
 * Binds take what is mounted below along; the kernel's own file systems must
 * not come in that way (a chroot with a proc in it). The fields of a line are
 * in proc_pid_mountinfo(5): the fifth is the mount point, the type follows " - ".
 */
static int refuse_kernel_mounts(const char *real, struct err *e)
{
	static const char *const types[] = {"proc ",     "sysfs ",   "cgroup ", "cgroup2 ",
					    "devtmpfs ", "debugfs ", "devpts ", "securityfs "};
	auto_buf struct buf text = {0};

	if (io_read_file(AT_FDCWD, "/proc/self/mountinfo", MAX_MOUNTINFO, &text, e))
		return -1;
	for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n")) {
		char *type = strstr(line, " - ");
		char *point = line;

		for (int field = 0; field < 4 && point; field++)
			point = strchr(point + 1, ' ');
		if (!type || !point || point > type)
			continue;
		point[1 + strcspn(point + 1, " ")] = '\0';
		for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
			if (path_is_at_or_below(point + 1, real) &&
			    !strncmp(type + 3, types[i], strlen(types[i])))
				return err_set(
					e, ERR_UNSUPPORTED,
					"%.200s cannot be mounted: %.200s below it would show the "
					"host's %s",
					real, point + 1, types[i]);
		}
	}
	return 0;
}

/* A source as the kernel resolves it, once; the path that it really has is kept for the child. */
static int open_source(struct mount_spec *m, char real[PATH_MAX], struct stat *st, struct err *e)
{
	static const char *const refused[] = {"/proc", "/sys", "/dev"};
	auto_fd int fd = m->source_fd >= 0 ? fcntl(m->source_fd, F_DUPFD_CLOEXEC, 0)
					   : open(m->source, O_PATH | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && m->create_source) {
		if (make_dirs(m->source, e))
			return -1;
		fd = open(m->source, O_PATH | O_CLOEXEC);
	}
	if (fd < 0 && errno == ENOENT)
		return err_input(e, "bind source path does not exist: %.300s", m->source);
	if (fd < 0 || !realpath(m->source, real) || fstat(fd, st))
		return err_sys(e, "open mount source %.300s", m->source);
	for (size_t i = 0; i < 3; i++) {
		if (path_is_at_or_below(real, refused[i]) || !strcmp(real, "/"))
			return err_set(e, ERR_UNSUPPORTED,
				       "%.200s cannot be mounted: it would show the host's %s",
				       real, refused[i]);
	}
	if (S_ISDIR(st->st_mode) && refuse_kernel_mounts(real, e))
		return -1;
	if (!S_ISDIR(st->st_mode) && !S_ISREG(st->st_mode))
		return err_set(e, ERR_UNSUPPORTED,
			       "%.300s cannot be mounted: only files and directories can", real);
	return take_fd(&fd);
}

/*
 * Privileged: let the sandbox's ids stand for the owner of the source. Where
 * the file system cannot, a writable mount makes the sandbox run under the
 * owner's own ids instead, unless that is root.
 */
static int map_owner(struct mount_spec *m, int tree_fd, const struct stat *st, struct idmap *map,
		     struct err *e)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_IDMAP};
	auto_fd int ns = -1;

	if (map->host_uid == st->st_uid && map->host_gid == st->st_gid)
		return 0;
	if (idmap_namespace(map, st->st_uid, st->st_gid, &ns, e))
		return -1;
	attr.userns_fd = (uint64_t)ns;
	if (!syscall(SYS_mount_setattr, tree_fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
		     sizeof(attr)))
		return 0;
	if (errno != EINVAL && errno != EOPNOTSUPP)
		return err_sys(e, "map the ids of %.200s", m->source);
	if (m->read_only)
		return 0;
	if (map->owner_taken && map->host_uid == st->st_uid)
		return 0;
	if (st->st_uid == 0 || map->owner_taken)
		return err_set(
			e, ERR_UNSUPPORTED,
			"%.200s belongs to %s and its file system has no id-mapped mounts: chown "
			"it to an ordinary user, mount it :ro, or use --output",
			m->source, st->st_uid ? "another user" : "root");
	map->owner_taken = true;
	map->host_uid = st->st_uid;
	map->host_gid = st->st_gid ? st->st_gid : map->host_gid;
	return 0;
}

static int add_bind(struct root_plan *plan, struct mount_spec *m, struct idmap *map, struct err *e)
{
	uint64_t attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
	char real[PATH_MAX];
	struct root_op *op;
	struct stat st;
	auto_fd int fd = -1;

	/* --explain changes nothing: what a run would make does not exist yet. */
	if (plan->arena->explain && m->create_source && access(m->source, F_OK))
		return 0;
	fd = open_source(m, real, &st, e);
	if (fd < 0)
		return -1;
	if (S_ISDIR(st.st_mode)) {
		root_plan_dirs(plan, m->target);
	} else {
		char *parent = spec_strdup(plan->arena, m->target);

		*strrchr(parent, '/') = '\0';
		if (*parent)
			root_plan_dirs(plan, parent);
		root_plan_add(plan, ROOT_FILE, m->target);
	}
	attributes |= m->read_only ? MOUNT_ATTR_RDONLY : 0;
	if (root_plan_bind(plan, map, fd, "", real, m->target, attributes, e))
		return -1;
	op = &plan->ops[plan->count - 1];
	op->landlock_write = !m->read_only;
	op->is_file = S_ISREG(st.st_mode);
	return op->tree_fd < 0 ? 0 : map_owner(m, op->tree_fd, &st, map, e);
}

int root_plan_mount(struct root_plan *plan, struct mount_spec *m, struct idmap *map, struct err *e)
{
	switch (m->kind) {
	case MOUNT_BIND:
		return add_bind(plan, m, map, e);
	case MOUNT_TMPFS:
	case MOUNT_STAGE:
		return add_tmpfs(plan, m, map, e);
	}
	return -1;
}
