/*
 * root_mounts - the spec's own mounts: binds of host paths, tmpfs, the staged /output, our files.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "base/path.h"
#include "host/mount_bound.h"
#include "namespace/namespaces.h"
#include "root/mount_source.h"
#include "root/root_overlay.h"
#include "root/root_plan.h"
#include "root/tree.h"
#include "root/volume.h"
#include "spec/mount_flags.h"

#define TMPFS_ATTRIBUTES (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

static int root_mounts_add_tmpfs(struct root_plan *plan, const struct mount_spec *m,
				 struct idmap *map, struct err *e)
{
	struct root_op *op;
	const bool read_only = m->read_only || plan->spec->shows;
	uint32_t uid = m->uid >= 0 ? (uint32_t)m->uid : map->inside_uid;
	uint32_t gid = m->gid >= 0 ? (uint32_t)m->gid : map->inside_gid;

	if (idmap_add_owner(map, uid, gid, e))
		return err_prefix(e, "--tmpfs %.200s", m->target);
	root_ops_dirs(plan, m->target);
	if (root_ops_leaves_out(plan, m))
		return 0;
	op = root_ops_add(plan, ROOT_TMPFS, m->target);
	op->source =
		spec_printf(plan->spec, "uid=%u,gid=%u,mode=%o,size=%" PRIu64 ",nr_inodes=%" PRIu64,
			    uid, gid, m->mode, m->size_bytes, m->inodes);
	op->attributes = TMPFS_ATTRIBUTES | (m->exec ? 0 : MOUNT_ATTR_NOEXEC) |
			 (read_only ? MOUNT_ATTR_RDONLY : 0);
	op->landlock_write = !read_only;
	op->is_stage = m->kind == MOUNT_STAGE;
	op->is_space = !op->is_stage && !read_only &&
		       (!strcmp(m->target, DEFAULT_TMP_TARGET) || !strcmp(m->target, "/dev/shm"));
	return 0;
}

/*
 * As root: map the owner of the source to the sandbox's ids; for a read-only source with an
 * ordinary user in -u, map that user, as docker does, so that root's private files stay closed. If
 * the file system has no id-mapped mounts, a writable mount makes the sandbox run under the owner's
 * ids instead; if the owner is root, refuse it.
 */
static int root_mounts_map_owner(const struct mount_spec *m, int tree_fd, const struct stat *st,
				 bool user_is_named, struct idmap *map, struct err *e)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_IDMAP};
	bool as_user = user_is_named && map->inside_uid && m->read_only;
	uid_t uid = as_user ? map->inside_uid : st->st_uid;
	gid_t gid = as_user ? map->inside_gid : st->st_gid;
	auto_fd int ns = -1;

	if (map->host_uid == uid && map->host_gid == gid)
		return 0;
	if (idmap_namespace(map, uid, gid, &ns, e))
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

/*
 * As root: clone the very descriptor that was judged. Without the mounts below, the clone is one
 * mount of the file system that we judged, whatever has been mounted or renamed since. With mounts
 * below, judge the clone once more where no process can change it.
 */
static int root_mounts_clone_now(struct root_op *op, const struct mount_source *source,
				 struct err *e)
{
	unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH |
			 (source->nested ? AT_RECURSIVE : 0);
	struct mount_attr attr = {.propagation = MS_PRIVATE};

	op->tree_fd = (int)syscall(SYS_open_tree, source->fd, "", flags);
	/* Make it private: later mounts of the host below the source do not appear in it. */
	if (op->tree_fd < 0 || syscall(SYS_mount_setattr, op->tree_fd, "",
				       AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)))
		return namespaces_no_clone(source->path, e);
	return source->nested ? tree_judge(op, e) : 0;
}

static void root_mounts_add_mount_point(struct root_plan *plan, const struct mount_spec *m,
					bool is_file)
{
	char *parent;

	if (!is_file) {
		root_ops_dirs(plan, m->target);
		return;
	}
	parent = spec_strdup(plan->spec, m->target);
	*strrchr(parent, '/') = '\0';
	if (*parent)
		root_ops_dirs(plan, parent);
	root_ops_add(plan, ROOT_FILE, m->target);
}

static int root_mounts_add_source(struct root_plan *plan, const struct mount_spec *m,
				  const struct mount_source *source, struct idmap *map,
				  struct err *e)
{
	bool is_file = S_ISREG(source->st.st_mode);
	struct root_op *op;

	root_mounts_add_mount_point(plan, m, is_file);
	op = root_ops_add(plan, ROOT_BIND, m->target);
	op->source = spec_strdup(plan->spec, source->path);
	op->attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
	op->attributes |= m->read_only ? MOUNT_ATTR_RDONLY : 0;
	op->device = source->st.st_dev;
	op->inode = source->st.st_ino;
	op->named = true;
	op->nested = source->nested;
	op->landlock_write = !m->read_only;
	op->is_file = is_file;
	if (!map->privileged)
		return 0;
	return root_mounts_clone_now(op, source, e) ||
			       root_mounts_map_owner(m, op->tree_fd, &source->st, plan->spec->user,
						     map, e)
		       ? -1
		       : 0;
}

/* A volume is made on its first use, and not removed as long as the plan lives. */
static int root_mounts_open_volume(struct root_plan *plan, const struct mount_spec *m,
				   struct mount_source *out, struct err *e)
{
	auto_volume struct volume v = volume_none();
	struct mount_spec opened = *m;

	if (volume_open(m->volume, VOLUME_MOUNT, &v, e))
		return -1;
	plan->volume_locks =
		own_grow(plan->volume_locks, plan->volume_count, sizeof(*plan->volume_locks));
	plan->volume_locks[plan->volume_count++] = take_fd(&v.lock);
	opened.source_fd = v.data;
	return mount_source_open(&opened, out, e);
}

static int root_mounts_add_bind(struct root_plan *plan, const struct mount_spec *m,
				struct idmap *map, struct err *e)
{
	struct mount_source source;
	int bad;

	/* --explain changes nothing, so the directory that a run would make is still missing. */
	if (plan->look && (m->create_source || m->volume) && access(m->source, F_OK))
		return mount_bound_missing(m, e);
	if (m->volume && !plan->look ? root_mounts_open_volume(plan, m, &source, e)
				     : mount_source_open(m, &source, e))
		return -1;
	bad = root_mounts_add_source(plan, m, &source, map, e);
	own_close(&source.fd);
	return bad;
}

static bool root_mounts_cover(const struct root_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->mount_count; i++) {
		if (path_is_at_or_below(path, plan->mounts[i].target))
			return true;
	}
	return false;
}

/* Whether a requested mount, or -w, is at the name, above it or below it. */
static bool root_mounts_meet(const struct root_plan *plan, const char *workdir, const char *name)
{
	for (size_t i = 0; i < plan->mount_count; i++) {
		if (path_is_at_or_below(plan->mounts[i].target, name))
			return true;
	}
	return root_mounts_cover(plan, name) || path_is_at_or_below(workdir, name);
}

bool root_plan_tmp_is_ours(const struct root_plan *plan)
{
	const struct mount_spec *m = root_ops_mount(plan, DEFAULT_TMP_TARGET);

	return m && m->kind == MOUNT_TMPFS && !m->read_only && !root_ops_leaves_out(plan, m);
}

void root_plan_add_tmp_names(struct root_plan *plan, const struct image *image, const char *workdir)
{
	static const char *const names[] = {"/var/tmp", "/run/lock"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && root_plan_tmp_is_ours(plan);
	     i++) {
		if (!root_mounts_meet(plan, workdir, names[i]) &&
		    (image->is_host || root_image_has(image, names[i])))
			root_ops_add(plan, ROOT_OWN, names[i])->source = "tmp";
	}
}

bool root_plan_new_workdir(const struct root_plan *plan, const struct image *image,
			   const struct program *program, struct mount_spec *out)
{
	const char *path = root_plan_resolve(plan->spec, image, program->workdir);

	if (!strcmp(path, "/") || plan->spec->writable || root_mounts_cover(plan, path) ||
	    (image->is_host ? root_host_has(path) : root_image_has(image, path)) ||
	    path_is_at_or_below("/code", path) || path_is_at_or_below(path, "/proc") ||
	    path_is_at_or_below(path, "/sys") || path_is_at_or_below(path, "/dev"))
		return false;
	*out = (struct mount_spec){.kind = MOUNT_TMPFS,
				   .target = spec_strdup(plan->spec, path),
				   .source_fd = -1,
				   .size_bytes = mount_default_bytes(&plan->spec->limits),
				   .inodes = DEFAULT_TMPFS_INODES,
				   .mode = 0755,
				   .uid = -1,
				   .gid = -1};
	return true;
}

static void root_mounts_add_files(struct root_plan *plan, const struct mount_spec *m)
{
	root_ops_dirs(plan, m->target);
	root_ops_tmpfs(plan, m->target);
	for (const struct mount_file *file = m->files; file->name; file++) {
		char *path = spec_printf(plan->spec, "%s/%s", m->target, file->name);
		struct root_op *op = root_ops_add(plan, ROOT_FILE, path);

		op->bytes = file->bytes;
		op->length = file->length;
		op->mode = 0555;
	}
}

int root_plan_mount(struct root_plan *plan, const struct mount_spec *m, struct idmap *map,
		    struct err *e)
{
	switch (m->kind) {
	case MOUNT_BIND:
		return root_mounts_add_bind(plan, m, map, e);
	case MOUNT_TMPFS:
	case MOUNT_STAGE:
		return root_mounts_add_tmpfs(plan, m, map, e);
	case MOUNT_FILES:
		root_mounts_add_files(plan, m);
		return 0;
	}
	return -1;
}
