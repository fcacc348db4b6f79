/*
 * overlay - a writable root: the image below, changes in a tmpfs above it.
 *
 * If the image belongs to another user, and cannot be mapped to our ids, we may create nothing in
 * its directories. So we make each of them once more in the tmpfs, as ours: the overlay merges
 * both. Files stay as they are: they can be replaced and removed, not changed in place.
 */
#include "inside/overlay.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/stat.h>

#include "inside/confine.h"
#include "inside/report.h"
#include "inside/sys.h"

#define UPPER         OVERLAY_PLACE "/upper"
#define WORK          OVERLAY_PLACE "/work"
#define LOWER         OVERLAY_PLACE "/lower"
#define MERGED        OVERLAY_PLACE "/merged"
#define OPTIONS       "lowerdir=.,upperdir=" UPPER ",workdir=" WORK ",userxattr"

#define MAX_DEPTH     64 /* of copied directories; bounds our stack */
#define ENTRIES_BYTES 4096
#define MODE_BITS     01777 /* without set-uid and set-gid */

/* getdents64(2) */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

#define TYPE_UNKNOWN   0
#define TYPE_DIRECTORY 4

static int layers = -1;

static long overlay_copy_dirs(int from, int to, unsigned depth);

static bool overlay_is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Copy the times, too: caches of fonts and modules compare them. */
static long overlay_copy_times(const struct statx *st, int to)
{
	const struct timespec times[2] = {
		{st->stx_atime.tv_sec, st->stx_atime.tv_nsec},
		{st->stx_mtime.tv_sec, st->stx_mtime.tv_nsec},
	};

	return sys4(__NR_utimensat, to, NULL, times, 0);
}

/* Copy the open directory into `to` as `name`. */
static long overlay_copy_into(int from, int to, const char *name, unsigned depth)
{
	struct statx st = {0};
	long made = sys3(__NR_mkdirat, to, name, 0700);
	long n = made;

	if (n >= 0)
		n = made = sys_openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (n >= 0)
		n = sys5(__NR_statx, from, "", AT_EMPTY_PATH, STATX_MODE | STATX_MTIME, &st);
	if (n >= 0)
		n = overlay_copy_dirs(from, (int)made, depth);
	if (n >= 0)
		n = sys2(__NR_fchmod, made, st.stx_mode & MODE_BITS);
	if (n >= 0)
		n = overlay_copy_times(&st, (int)made);
	sys_close((int)made);
	return n;
}

/* A directory that we may not read is not copied: it stays the image's, and closed. */
static long overlay_copy_dir(int from, int to, const char *name, unsigned depth)
{
	long dir = sys_openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	long n;

	if (dir == -EACCES || dir == -ENOTDIR || dir == -ELOOP)
		return 0;
	if (dir < 0)
		return dir;
	n = overlay_copy_into((int)dir, to, name, depth);
	sys_close((int)dir);
	return n;
}

static long overlay_copy_dirs(int from, int to, unsigned depth)
{
	_Alignas(struct entry) char entries[ENTRIES_BYTES];
	long n;

	if (depth == MAX_DEPTH)
		return 0;
	while ((n = sys3(__NR_getdents64, from, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < n;) {
			const struct entry *entry = (const struct entry *)(entries + at);
			long bad = 0;

			/* The kernel has written it. */
			/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
			at += entry->length;
			if ((entry->type == TYPE_DIRECTORY || entry->type == TYPE_UNKNOWN) &&
			    !overlay_is_dots(entry->name))
				bad = overlay_copy_dir(from, to, entry->name, depth + 1);
			if (bad < 0)
				return bad;
		}
	}
	return n;
}

static long overlay_own_dirs(void)
{
	long from = sys_openat(AT_FDCWD, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	long to = sys_openat(AT_FDCWD, UPPER, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	long n = from < 0 ? from : to;

	if (n >= 0)
		n = overlay_copy_dirs((int)from, (int)to, 0);
	sys_close((int)from);
	sys_close((int)to);
	return n;
}

/* EPERM: the kernel has overlayfs, but not for user namespaces. */
static int overlay_refuse(long n, struct err *e)
{
	inside_fail(e, n, "mount the root that --writable asks for",
		    n == -ENODEV || n == -EPERM
			    ? "(it takes overlayfs: \"modprobe overlay\" as root, or leave it "
			      "out; docker run -d: --read-only)"
			    : NULL);
	if (n == -ENODEV || n == -EPERM)
		e->kind = ERR_UNSUPPORTED;
	return -1;
}

/* Mount the image, which is the current directory, at LOWER. */
static long overlay_show_lower(void)
{
	long fd = sys3(__NR_open_tree, AT_FDCWD, ".", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	long n = fd;

	if (n >= 0)
		n = sys3(__NR_mkdirat, AT_FDCWD, LOWER, 0700);
	if (n >= 0)
		n = sys5(__NR_move_mount, fd, "", AT_FDCWD, LOWER, MOVE_MOUNT_F_EMPTY_PATH);
	sys_close((int)fd);
	return n;
}

/* The overlay is mounted beside its layers, all three are cloned, and then it covers them. */
static long overlay_mount_beside(unsigned long flags)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
					      MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC};
	long n = overlay_show_lower();

	if (n >= 0)
		n = sys3(__NR_mkdirat, AT_FDCWD, MERGED, 0700);
	if (n >= 0)
		n = sys_mount("overlay", MERGED, "overlay", flags, OPTIONS);
	if (n >= 0)
		n = sys3(__NR_open_tree, AT_FDCWD, OVERLAY_PLACE,
			 OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	if (n < 0)
		return n;
	layers = (int)n;
	n = sys5(__NR_mount_setattr, layers, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr));
	return n < 0 ? n : sys_mount(MERGED, OVERLAY_PLACE, NULL, MS_MOVE, NULL);
}

int overlay_layers(void)
{
	return layers;
}

int overlay_send_layers(const struct inside_plan *plan, struct err *e)
{
	long n = inside_send_fd(plan, REPORT_FD_SPACE, layers);

	return n < 0 ? inside_fail(e, n, "send the layers of the root", NULL) : 0;
}

void overlay_forget_layers(void)
{
	if (layers >= 0)
		sys_close(layers);
	layers = -1;
}

int overlay_mount(const struct inside_plan *plan, const struct root_op *op, unsigned long flags,
		  struct err *e)
{
	long n = sys_mount("tmpfs", OVERLAY_PLACE, "tmpfs", flags, op->source);

	if (n >= 0)
		n = sys3(__NR_mkdirat, AT_FDCWD, UPPER, 0755);
	if (n >= 0)
		n = sys3(__NR_mkdirat, AT_FDCWD, WORK, 0700);
	if (n < 0)
		return inside_fail(e, n, "make room for changes to the root", NULL);
	n = op->own_dirs ? overlay_own_dirs() : 0;
	if (n < 0)
		return inside_fail(e, n, "make the image's directories anew for --writable", NULL);
	n = plan->stays && !plan->is_cell
		    ? overlay_mount_beside(flags)
		    : sys_mount("overlay", OVERLAY_PLACE, "overlay", flags, OPTIONS);
	if (n < 0)
		return overlay_refuse(n, e);
	n = sys1(__NR_chdir, OVERLAY_PLACE);
	return n < 0 ? inside_fail(e, n, "enter the root", NULL) : 0;
}
