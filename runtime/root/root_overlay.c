/*
 * root_overlay - the image's part of a writable root (--writable).
 */
#include "root/root_overlay.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/own.h"

#define LAYER_ATTRIBUTES (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
#define INODES           131072 /* installing many packages creates some 30000 files */

/* overlayfs accepts id-mapped layers since Linux 5.19. */
static bool root_overlay_takes_mapped(void)
{
	struct utsname name;
	unsigned long major;
	unsigned long minor;
	char *end;

	if (uname(&name))
		return false;
	major = strtoul(name.release, &end, 10);
	minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	return major > 5 || (major == 5 && minor >= 19);
}

/* 1: the image's owner is the sandbox's user inside; 0: the ids cannot be mapped; -1: *e. */
static int root_overlay_map(const struct root_op *base, const struct stat *st,
			    const struct idmap *map, struct err *e)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_IDMAP};
	auto_fd int ns = -1;

	if (map->host_uid == st->st_uid && map->host_gid == st->st_gid)
		return 1;
	if (!map->privileged || !root_overlay_takes_mapped())
		return 0;
	if (idmap_namespace(map, st->st_uid, st->st_gid, &ns, e))
		return -1;
	attr.userns_fd = (uint64_t)ns;
	if (!syscall(SYS_mount_setattr, base->tree_fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
		     sizeof(attr)))
		return 1;
	return errno == EINVAL || errno == EOPNOTSUPP ? 0 : err_sys(e, "map the ids of the image");
}

/*
 * A Landlock rule for a directory includes everything below it (landlock(7)), so the one for "/"
 * includes /proc and every mount: there the read-only mounts are the wall, /proc's as well.
 */
int root_overlay(struct root_plan *plan, const struct image *image, const struct idmap *map,
		 struct err *e)
{
	struct root_op *op;
	struct stat st;
	int is_own;

	if (image->is_host)
		return err_set(e, ERR_UNSUPPORTED,
			       "--writable: the image host is this machine's own /usr; name an "
			       "image of the store (glovebox image build python)");
	if (fstat(image->root_fd, &st))
		return err_sys(e, "stat image %s", image->reference);
	if (root_ops_bind(plan, map, image->root_fd, "", image->root_path, "/.", LAYER_ATTRIBUTES,
			  e))
		return -1;
	op = &plan->ops[plan->count - 1];
	op->kind = ROOT_BASE;
	is_own = root_overlay_map(op, &st, map, e);
	if (is_own < 0)
		return -1;
	op = root_ops_add(plan, ROOT_OVERLAY, "/.");
	op->source = spec_printf(plan->spec, "mode=755,size=%" PRIu64 ",nr_inodes=%d",
				 plan->spec->writable_bytes, INODES);
	op->attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
	op->own_dirs = !is_own;
	op->is_space = true;
	op->landlock_write = true;
	return 0;
}
