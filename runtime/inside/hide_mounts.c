/*
 * hide_mounts - leave the mount namespace's own tree for a clone of it.
 */
#include <fcntl.h>
#include <linux/mount.h>

#include "inside/confine.h"
#include "inside/report.h"
#include "inside/sys.h"

/*
 * A process whose root is a detached clone of the tree sees no mount of its own namespace:
 * /proc/self/mountinfo lists only mounts that are reachable from the root (fs/proc_namespace.c,
 * show_mountinfo: seq_path_root() returns SEQ_SKIP). So the host paths of images, scripts and
 * volumes are not readable. When the clone's descriptor is closed, its sub-mounts stay connected
 * for processes whose root it is (dissolve_on_fput: UMOUNT_CONNECTED). That close waits for an RCU
 * grace period, so another process does it while the program starts: pid 1 after the fork, or for a
 * cell the supervisor.
 *
 * A cell comes here from its nursery's root, with the new one as its current directory: it keeps
 * only the clone. The nursery's tree (an image, nothing of the host) stays mounted in its
 * namespace, out of reach; detaching it would cost another wait.
 */
static long hide_mounts_enter(int tree)
{
	long n = sys1(__NR_fchdir, tree);

	return n < 0 ? n : sys1(__NR_chroot, ".");
}

int confine_hide_mounts(const struct inside_plan *plan, struct err *e)
{
	long fd;
	long n;

	/*
	 * A cell's mount namespace is a copy of the nursery's, whose root must be a mount for that.
	 */
	if (plan->is_nursery)
		return 0;
	fd = sys3(__NR_open_tree, AT_FDCWD, plan->is_cell ? "." : "/",
		  OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	if (fd < 0)
		return inside_fail(e, fd, "clone the root tree", NULL);
	n = hide_mounts_enter((int)fd);
	if (n >= 0 && plan->is_cell)
		n = inside_send_fd(plan, REPORT_FD_ROOT, (int)fd);
	return n < 0 ? inside_fail(e, n, "enter the detached root", NULL) : 0;
}

/* The same clone, so that the programs of a session and of its door have one view. */
int confine_door_root(const struct inside_plan *plan, struct err *e)
{
	long n = hide_mounts_enter(plan->root_fd);

	return n < 0 ? inside_fail(e, n, "enter the root of the session", NULL) : 0;
}
