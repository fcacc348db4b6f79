/*
 * root - build the new root from the plan's operations and step into it.
 *
 * The root is the image itself, bound read-only, or, if a mount point is missing at its top, a
 * small tmpfs to be filled. Pid 1 mounts it over /proc, where a bind's source cannot lie, completes
 * it and pivots to it; then it detaches the host's tree from the namespace as a whole.
 *
 * Runs: pid 1. Needs: CAP_SYS_ADMIN over the new user and mount namespaces.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/stat.h>
#include <sys/sysmacros.h>

#include "inside/confine.h"
#include "inside/overlay.h"
#include "inside/report.h"
#include "inside/root_names.h"
#include "inside/sys.h"

/* From <sys/mount.h>, which cannot be included beside <linux/mount.h> in older glibc. */
#ifndef MNT_DETACH
#define MNT_DETACH 2
#endif
#ifndef UMOUNT_NOFOLLOW
#define UMOUNT_NOFOLLOW 8
#endif
#define SKELETON OVERLAY_PLACE

/* MOUNT_ATTR_NOEXEC and MS_NOEXEC differ for historical reasons; the others agree. */
static unsigned long root_legacy_flags(uint64_t attributes)
{
	unsigned long flags = 0;

	flags |= attributes & MOUNT_ATTR_RDONLY ? MS_RDONLY : 0;
	flags |= attributes & MOUNT_ATTR_NOSUID ? MS_NOSUID : 0;
	flags |= attributes & MOUNT_ATTR_NODEV ? MS_NODEV : 0;
	flags |= attributes & MOUNT_ATTR_NOEXEC ? MS_NOEXEC : 0;
	return flags;
}

static uint64_t root_wanted(const struct inside_plan *plan, uint64_t attributes)
{
	if (confine_omitted(plan, "ro-root"))
		attributes &= ~(uint64_t)MOUNT_ATTR_RDONLY;
	if (confine_omitted(plan, "nosuid"))
		attributes &= ~(uint64_t)MOUNT_ATTR_NOSUID;
	if (confine_omitted(plan, "nodev"))
		attributes &= ~(uint64_t)MOUNT_ATTR_NODEV;
	if (confine_omitted(plan, "noexec"))
		attributes &= ~(uint64_t)MOUNT_ATTR_NOEXEC;
	(void)plan;
	return attributes;
}

/*
 * Clone the tree at op->source, which must still be the file that was judged outside. A cell's
 * sources in its image were checked when its nursery mounted it; the host may have replaced the
 * file since (ldconfig).
 */
static long root_open_source(const struct inside_plan *plan, const struct root_op *op,
			     struct err *e)
{
	struct statx st = {0};
	/* Clone it alone, as one mount; EINVAL means that others lie below it (root/tree.c). */
	unsigned below = op->named ? 0 : AT_RECURSIVE;
	long fd = sys3(__NR_open_tree, AT_FDCWD, op->source,
		       OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW | below);
	long n;

	if (fd < 0)
		return inside_fail(e, fd, "open mount source", op->source);
	if (plan->is_cell && op->in_image)
		return fd;
	n = sys5(__NR_statx, fd, "", AT_EMPTY_PATH, STATX_INO, &st);
	if (n < 0 || st.stx_ino != op->inode ||
	    makedev(st.stx_dev_major, st.stx_dev_minor) != op->device) {
		sys_close((int)fd);
		return inside_fail(e, n < 0 ? n : -ESTALE, "mount source changed:", op->source);
	}
	return fd;
}

/*
 * Make it private: a clone that root made outside is a peer of the host's mount if that is shared,
 * as systemd makes all mounts, and new mounts in one peer appear in the others.
 */
static int root_make_bind(const struct inside_plan *plan, const struct root_op *op,
			  const char *path, struct err *e)
{
	struct mount_attr attr = {.attr_set = root_wanted(plan, op->attributes),
				  .propagation = MS_PRIVATE};
	long fd = op->tree_fd >= 0 ? op->tree_fd : root_open_source(plan, op, e);
	long target;
	long n;

	if (fd < 0)
		return -1;
	n = target = op->kind == ROOT_BASE ? sys_openat(AT_FDCWD, path, O_PATH | O_CLOEXEC, 0)
					   : root_names_open(path, 0);
	if (n >= 0)
		n = sys5(__NR_mount_setattr, fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
			 sizeof(attr));
	if (n >= 0)
		n = sys5(__NR_move_mount, fd, "", target, "",
			 MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
	sys_close((int)target);
	if (op->tree_fd < 0)
		sys_close((int)fd);
	if (n == -ELOOP)
		return inside_fail(
			e, 0, "a link stands there; mount over the file that it leads to:", path);
	return n < 0 ? inside_fail(e, n, "mount", path) : 0;
}

/*
 * Bind op->source: a path of the new root, or an absolute one of the nursery's. A link in a volume
 * would lead out of the new root, to the host's tree: follow none.
 */
static int root_bind_own(const struct inside_plan *plan, const struct root_op *op, struct err *e)
{
	struct root_op bind = *op;
	long place = *op->source == '/'
			     ? sys_openat(AT_FDCWD, op->source, O_PATH | O_CLOEXEC | O_NOFOLLOW, 0)
			     : root_names_open(op->source, 0);
	long tree =
		place < 0
			? place
			: sys3(__NR_open_tree, place, "",
			       OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
	int bad;

	sys_close((int)place);
	bind.kind = ROOT_BIND;
	bind.tree_fd = (int)tree;
	if (bind.tree_fd < 0)
		return inside_fail(e, bind.tree_fd, "bind a file of ours to", op->path);
	bad = root_make_bind(plan, &bind, op->path, e);
	sys_close(bind.tree_fd);
	return bad;
}

/* The file stays at op->path only: its name goes. The directory is ours, so a name is safe. */
static int root_make_text(const struct inside_plan *plan, const struct root_op *op, struct err *e)
{
	const struct root_op file = {.kind = ROOT_FILE,
				     .path = op->source,
				     .bytes = op->bytes,
				     .length = op->length,
				     .alone = true,
				     .mode = 0644};
	int bad;

	if (root_names_make(&file, e))
		return -1;
	bad = root_bind_own(plan, op, e);
	/* Not earlier: the kernel refuses to mount a file without a name. */
	sys3(__NR_unlinkat, AT_FDCWD, op->source, 0);
	return bad;
}

static int root_seal(const struct inside_plan *plan, const struct root_op *op, struct err *e)
{
	struct mount_attr attr = {.attr_set = root_wanted(plan, MOUNT_ATTR_RDONLY)};
	long fd = root_names_open(op->path, O_DIRECTORY);
	long n = fd;

	if (n >= 0)
		n = sys5(__NR_mount_setattr, fd, "", AT_EMPTY_PATH, &attr, sizeof(attr));
	sys_close((int)fd);
	return n < 0 ? inside_fail(e, n, "make read-only", op->path) : 0;
}

/* After the run the monitor collects /output from this descriptor, or measures its free space. */
static int root_send_top(const struct inside_plan *plan, const struct root_op *op, struct err *e)
{
	long place = root_names_open(op->path, O_DIRECTORY);
	long fd = place < 0 ? place
			    : sys_openat((int)place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	long n;

	sys_close((int)place);
	if (fd < 0)
		return inside_fail(e, fd, "open", op->path);
	n = inside_send_fd(plan, op->is_stage ? REPORT_FD_STAGE : REPORT_FD_SPACE, (int)fd);
	sys_close((int)fd);
	return n < 0 ? inside_fail(e, n, "send", op->path) : 0;
}

static int root_send_wanted(const struct inside_plan *plan, const struct root_op *op, struct err *e)
{
	bool is_wanted = op->is_stage || (op->is_space && plan->channel_fd < 0);

	if (is_wanted && op->kind == ROOT_OVERLAY && overlay_layers() >= 0)
		return overlay_send_layers(plan, e);
	return is_wanted ? root_send_top(plan, op, e) : 0;
}

/* mount(2) follows a link in the last component, so change into the directory and mount on ".". */
static long root_mount_at(const char *type, const char *path, unsigned long flags, const char *data)
{
	long home = root_names_open(".", O_DIRECTORY);
	long target = root_names_open(path, O_DIRECTORY);
	long n = target < 0 ? target : sys1(__NR_fchdir, target);

	if (n >= 0)
		n = sys_mount(type, ".", type, flags, data);
	sys1(__NR_fchdir, home);
	sys_close((int)target);
	sys_close((int)home);
	return n;
}

static int root_make_filesystem(const struct inside_plan *plan, const struct root_op *op,
				const char *type, struct err *e)
{
	unsigned long flags = root_legacy_flags(root_wanted(plan, op->attributes));
	int bounded = op->kind != ROOT_TMPFS || !confine_omitted(plan, "tmpfs");
	long n = root_mount_at(type, op->path, flags, bounded ? op->source : NULL);

	if (n < 0)
		return inside_fail(e, n, "mount", op->path);
	return root_send_wanted(plan, op, e);
}

/*
 * hidepid=2 hides processes that we may not ptrace: pid 1. subset=pid (5.8) shows only processes. A
 * kernel that allows us a /proc with it may refuse one without.
 */
static long root_mount_proc(const struct inside_plan *plan, const struct root_op *op, bool is_whole,
			    unsigned long more)
{
	const bool all = confine_omitted(plan, "hidepid");
	const char *options = is_whole ? (all ? NULL : "hidepid=2")
				       : (all ? "subset=pid" : "hidepid=2,subset=pid");

	return root_mount_at("proc", op->path,
			     root_legacy_flags(root_wanted(plan, op->attributes)) | more, options);
}

static int root_make_proc(const struct inside_plan *plan, const struct root_op *op, struct err *e)
{
	long n = root_mount_proc(plan, op, true, 0);

	if (n < 0 && !confine_omitted(plan, "proc-subset"))
		n = root_mount_proc(plan, op, false, 0);
	if (n >= 0)
		return 0;
	inside_fail(e, n, "mount", op->path);
	e->namespaces = CLONE_NEWPID; /* only the host's side can tell why */
	return -1;
}

/* Whether a path of /proc exists. */
static bool root_proc_has(const char *path)
{
	long fd = root_names_open(path, 0);

	sys_close((int)fd);
	return fd >= 0;
}

/*
 * A nursery's /proc stays uncovered, or the kernel would refuse a cell's (fs/namespace.c,
 * mnt_already_visible).
 */
static int root_cover_proc(const struct inside_plan *plan, const struct root_op *op, struct err *e)
{
	if (plan->is_nursery || confine_omitted(plan, "proc-subset") || !root_proc_has(op->path))
		return 0;
	return op->bytes ? root_make_text(plan, op, e) : root_bind_own(plan, op, e);
}

/*
 * subset=pid hides names that a lookup has yet to find: a name with a mount on it is found before
 * (the dentry stays in the cache: fs/namei.c, lookup_fast). So look up no other name until then. A
 * kernel that refuses to add it (seen in 7.2) gets another /proc, without the texts.
 */
static int root_close_proc(const struct inside_plan *plan, const struct root_op *op, struct err *e)
{
	long n;

	if (confine_omitted(plan, "proc-subset"))
		return 0;
	n = root_mount_proc(plan, op, false, MS_REMOUNT);
	if (n == -EINVAL) {
		sys2(__NR_umount2, op->path, MNT_DETACH | UMOUNT_NOFOLLOW);
		n = root_mount_proc(plan, op, false, 0);
	}
	if (n >= 0 && root_proc_has("proc/sys"))
		n = -EPERM;
	return n < 0 ? inside_fail(e, n, "hide all but processes in", op->path) : 0;
}

static int root_apply(const struct inside_plan *plan, const struct root_op *op, struct err *e)
{
	switch (op->kind) {
	case ROOT_DIR:
	case ROOT_FILE:
	case ROOT_LINK:
		return root_names_make(op, e);
	case ROOT_BASE: /* already mounted */
		return 0;
	case ROOT_OVERLAY:
		return overlay_mount(plan, op, root_legacy_flags(root_wanted(plan, op->attributes)),
				     e)
			       ? -1
			       : root_send_wanted(plan, op, e);
	case ROOT_BIND:
		return root_make_bind(plan, op, op->path, e);
	case ROOT_TMPFS:
		return root_make_filesystem(plan, op, "tmpfs", e);
	case ROOT_PROC:
		return root_make_proc(plan, op, e);
	case ROOT_PROC_CLOSE:
		return root_close_proc(plan, op, e);
	case ROOT_DEVPTS:
		return root_make_filesystem(plan, op, "devpts", e);
	case ROOT_TEXT:
		return root_make_text(plan, op, e);
	case ROOT_PROC_TEXT:
		return root_cover_proc(plan, op, e);
	case ROOT_OWN:
		return root_bind_own(plan, op, e);
	case ROOT_SEAL:
		return root_seal(plan, op, e);
	}
	return inside_fail(e, -EINVAL, "unknown root operation", op->path);
}

static int root_mount_skeleton(struct err *e)
{
	long n = sys_mount("tmpfs", SKELETON, "tmpfs", MS_NOSUID | MS_NODEV,
			   "mode=755,size=128m,nr_inodes=8k");

	return n < 0 ? inside_fail(e, n, "mount the root skeleton", NULL) : 0;
}

static int root_enter_skeleton(const struct inside_plan *plan, struct err *e)
{
	long n = sys_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);

	if (n < 0)
		return inside_fail(e, n, "make the mount tree private", NULL);
	if (plan->op_count && plan->ops[0].kind == ROOT_BASE
		    ? root_make_bind(plan, &plan->ops[0], SKELETON, e)
		    : root_mount_skeleton(e))
		return -1;
	n = sys1(__NR_chdir, SKELETON);
	return n < 0 ? inside_fail(e, n, "enter the root skeleton", NULL) : 0;
}

/*
 * pivot_root(".", ".") stacks the old root over the new one; detaching "." removes it
 * (pivot_root(2)).
 */
static int root_leave_host(const struct inside_plan *plan, struct err *e)
{
	long n = sys2(__NR_pivot_root, ".", ".");

	if (n < 0)
		return inside_fail(e, n, "pivot to the new root", NULL);
	(void)plan;
	if (!confine_omitted(plan, "detach"))
		n = sys2(__NR_umount2, ".", MNT_DETACH);
	if (n < 0)
		return inside_fail(e, n, "detach the host's root", NULL);
	n = sys1(__NR_chdir, "/");
	return n < 0 ? inside_fail(e, n, "enter the new root", NULL) : 0;
}

/* An overlay accepts changes; the image below it stays read-only. */
static uint64_t root_attributes(const struct inside_plan *plan)
{
	bool changes = plan->op_count > 1 && plan->ops[1].kind == ROOT_OVERLAY;

	return MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (changes ? 0 : MOUNT_ATTR_RDONLY);
}

int confine_root(const struct inside_plan *plan, struct err *e)
{
	struct mount_attr attr = {.attr_set = root_wanted(plan, root_attributes(plan))};
	long n;

	if (root_enter_skeleton(plan, e))
		return -1;
	for (size_t i = 0; i < plan->op_count; i++) {
		if (root_apply(plan, &plan->ops[i], e))
			return -1;
	}
	n = sys5(__NR_mount_setattr, AT_FDCWD, ".", 0, &attr, sizeof(attr));
	if (n < 0)
		return inside_fail(e, n, "make the root read-only", NULL);
	/* A cell never saw the host's tree; hide-mounts leaves the nursery's. */
	return plan->is_cell ? 0 : root_leave_host(plan, e);
}
