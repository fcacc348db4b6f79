/*
 * root_ops - append operations to the plan of a root.
 */
#include "root/root_ops.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "base/path.h"
#include "namespace/namespaces.h"

struct root_op *root_ops_add(struct root_plan *plan, enum root_op_kind kind, const char *path)
{
	struct root_op *op;

	if (plan->count == plan->capacity) {
		plan->capacity = plan->capacity ? plan->capacity * 2 : 64;
		plan->ops = own_resize(plan->ops, plan->capacity, sizeof(*plan->ops));
	}
	op = &plan->ops[plan->count++];
	/*
	 * Keep the slash in front of `path`: Landlock opens the absolute path, the other steps the
	 * relative one.
	 */
	*op = (struct root_op){.kind = kind,
			       .path = spec_strdup(plan->spec, path) + 1,
			       .tree_fd = -1,
			       .mode = 0755};
	return op;
}

void root_ops_tmpfs(struct root_plan *plan, const char *path)
{
	struct root_op *op;

	root_ops_add(plan, ROOT_DIR, path);
	op = root_ops_add(plan, ROOT_TMPFS, path);
	op->source = "mode=755,size=128m,nr_inodes=8k";
	op->attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
	op->seal = true;
}

void root_ops_dirs(struct root_plan *plan, const char *path)
{
	char *partial = spec_strdup(plan->spec, path);

	for (char *p = partial + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		root_ops_add(plan, ROOT_DIR, partial);
		*p = '/';
	}
	root_ops_add(plan, ROOT_DIR, path);
}

int root_ops_bind(struct root_plan *plan, const struct idmap *map, int dir_fd, const char *name,
		  const char *host_path, const char *target, uint64_t attributes, struct err *e)
{
	unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW |
			 AT_NO_AUTOMOUNT | (*name ? 0 : AT_EMPTY_PATH);
	struct root_op *op;
	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH)))
		return err_sys(e, "stat %.200s", host_path);
	op = root_ops_add(plan, ROOT_BIND, target);
	op->source = spec_strdup(plan->spec, host_path);
	op->attributes = attributes;
	op->device = st.st_dev;
	op->inode = st.st_ino;
	if (!map->privileged)
		return 0;
	op->tree_fd = (int)syscall(SYS_open_tree, dir_fd, name, flags);
	if (op->tree_fd < 0)
		return namespaces_no_clone(host_path, e);
	return 0;
}

const struct mount_spec *root_ops_mount(const struct root_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->mount_count; i++) {
		if (!strcmp(plan->mounts[i].target, path))
			return &plan->mounts[i];
	}
	return NULL;
}

bool root_ops_leaves_out(const struct root_plan *plan, const struct mount_spec *m)
{
	if (!plan->spec->shows || m->kind != MOUNT_TMPFS || m->read_only ||
	    !strcmp(m->target, "/dev/shm"))
		return false;
	for (size_t i = 0; i < plan->mount_count; i++) {
		const struct mount_spec *above = &plan->mounts[i];

		if (above->kind != MOUNT_TMPFS && path_is_at_or_below(m->target, above->target))
			return false;
	}
	return true;
}

void root_ops_fini(struct root_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		own_close(&plan->ops[i].tree_fd);
	for (size_t i = 0; i < plan->volume_count; i++)
		own_close(&plan->volume_locks[i]);
	free(plan->volume_locks);
	free(plan->ops);
	free(plan->mounts);
	*plan = (struct root_plan){0};
}
