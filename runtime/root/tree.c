/*
 * tree - clone the mounts of a plan as detached trees, judged where no process can change them.
 */
#include "root/tree.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"
#include "fs/resolve.h"
#include "host/mount_table.h"
#include "namespace/namespaces.h"

#define STACK_BYTES (64 << 10)

/* CLONE_VFORK suspends us until the child has ended, so sharing everything is safe. */
#define SHARED (CLONE_VM | CLONE_VFORK | CLONE_FILES)

/* Every host has it, and a source cannot be in it. */
#define PLACE "/proc"

struct work {
	struct root_op *ops;
	size_t count;
	enum tree_which which;
	int table_fd; /* of our own mounts; opened before PLACE is covered */
	struct err *e;
};

static bool tree_needs_tree(const struct root_op *op, enum tree_which which)
{
	if (op->tree_fd >= 0 || op->in_image || !(which == TREE_ALL || op->nested))
		return false;
	return op->kind == ROOT_BIND || op->kind == ROOT_BASE;
}

static int tree_clone_tree(int fd, unsigned more)
{
	return (int)syscall(SYS_open_tree, fd, "",
			    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | more);
}

/* Judge the mounts there and below by number: names may change meanwhile. */
static int tree_judge_one(const struct work *w, const struct root_op *op, int tree)
{
	auto_mount_table struct mount_table table = {0};
	uint64_t id;

	if (mount_table_read(w->table_fd, &table, w->e) || mount_table_id(tree, &id, w->e))
		return -1;
	if (!mount_table_find(&table, id))
		return err_set(w->e, ERR_SYSTEM, "the clone of %.200s is not seen", op->source);
	mount_table_mark(&table, id);
	for (size_t i = 0; i < table.count; i++) {
		const struct mount_entry *entry = &table.items[i];

		if (entry->below && mount_table_is_kernels(entry->type))
			return err_set(w->e, ERR_UNSUPPORTED,
				       "%.200s cannot be mounted: %.200s below it would show the "
				       "host's %s",
				       op->source, entry->point + strlen(PLACE), entry->type);
	}
	return 0;
}

/*
 * Attach the tree where no other process is, judge it, and clone it: the clone is the judged tree.
 */
static int tree_clone_judged(struct work *w, const struct root_op *op, int tree)
{
	struct mount_attr alone = {.propagation = MS_PRIVATE};
	int again;

	if (w->table_fd < 0)
		w->table_fd = mount_table_open(w->e);
	if (w->table_fd < 0)
		return -1;
	if (tree < 0 ||
	    syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &alone,
		    sizeof(alone)) ||
	    syscall(SYS_move_mount, tree, "", AT_FDCWD, PLACE, MOVE_MOUNT_F_EMPTY_PATH))
		return err_sys(w->e, "open mount source %.300s", op->source);
	if (tree_judge_one(w, op, tree))
		return -1;
	again = tree_clone_tree(tree, AT_RECURSIVE);
	return again < 0 ? err_sys(w->e, "open mount source %.300s", op->source) : again;
}

/* Open the source again; it must be the file that was judged for the plan. */
static int tree_open_again(const struct root_op *op, struct err *e)
{
	const uint64_t rules = op->named ? RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS : 0;
	auto_fd int fd = resolve_open(AT_FDCWD, op->source, O_PATH | O_NOFOLLOW, rules);
	struct stat st;

	if ((fd < 0 && errno != ELOOP) || (fd >= 0 && fstat(fd, &st)))
		return err_sys(e, "open mount source %.300s", op->source);
	errno = ESTALE;
	if (fd < 0 || st.st_ino != op->inode || st.st_dev != op->device)
		return err_sys(e, "mount source changed: %.300s", op->source);
	return take_fd(&fd);
}

/*
 * Without AT_RECURSIVE: an ordinary user's copy cannot leave mounts out (they are locked together,
 * mount_namespaces(7)), so EINVAL means that a mount lies below.
 */
static int tree_clone_source(struct work *w, struct root_op *op)
{
	auto_fd int fd = tree_open_again(op, w->e);
	auto_fd int tree = -1;

	if (fd < 0)
		return -1;
	op->tree_fd = tree_clone_tree(fd, 0);
	if (op->tree_fd >= 0)
		return 0;
	if (errno != EINVAL)
		return err_sys(w->e, "open mount source %.300s", op->source);
	tree = tree_clone_tree(fd, AT_RECURSIVE);
	op->tree_fd = tree_clone_judged(w, op, tree);
	return op->tree_fd < 0 ? -1 : 0;
}

/*
 * Runs: a process that shares our memory, with all capabilities over its own namespaces. As in a
 * cold start, make the copies private first: later mounts of the host do not appear in them, and
 * unbindable ones (MS_UNBINDABLE) are included.
 */
static int tree_clone_sources(void *argument)
{
	struct work *w = argument;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL))
		return err_sys(w->e, "make a copy of the mounts private");
	for (size_t i = 0; i < w->count; i++) {
		if (tree_needs_tree(&w->ops[i], w->which) && tree_clone_source(w, &w->ops[i]))
			return -1;
	}
	return 0;
}

/* Runs: the same process as root, in our user namespace. */
static int tree_judge_tree(void *argument)
{
	struct work *w = argument;
	auto_fd int tree = take_fd(&w->ops->tree_fd);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL))
		return err_sys(w->e, "make a copy of the mounts private");
	w->ops->tree_fd = tree_clone_judged(w, w->ops, tree);
	return w->ops->tree_fd < 0 ? -1 : 0;
}

/* Without an exit signal, so that no SIGCHLD handler runs. */
static int tree_run(struct work *w, int (*what)(void *), int more)
{
	_Alignas(16) char stack[STACK_BYTES];
	int status;
	pid_t pid = clone(what, stack + sizeof(stack), SHARED | CLONE_NEWNS | more, w);

	if (pid < 0)
		return namespaces_refused((unsigned)more | CLONE_NEWNS,
					  "create namespaces to clone mounts in", w->e);
	status = process_reap(pid, __WALL);
	own_close(&w->table_fd);
	if (!WIFEXITED(status))
		return err_set(w->e, ERR_SYSTEM, "the process that clones mounts was killed");
	return WEXITSTATUS(status) ? -1 : 0;
}

int tree_clone(struct root_op *ops, size_t count, enum tree_which which, struct err *e)
{
	struct work w = {.ops = ops, .count = count, .which = which, .table_fd = -1, .e = e};

	for (size_t i = 0; i < count; i++) {
		if (tree_needs_tree(&ops[i], which))
			return tree_run(&w, tree_clone_sources, CLONE_NEWUSER);
	}
	return 0;
}

int tree_judge(struct root_op *op, struct err *e)
{
	struct work w = {.ops = op, .count = 1, .table_fd = -1, .e = e};

	return tree_run(&w, tree_judge_tree, 0);
}

int tree_try(struct err *e)
{
	auto_fd int fd = -1;

	if (geteuid())
		return 0;
	fd = (int)syscall(SYS_open_tree, AT_FDCWD, PLACE,
			  OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	return fd < 0 ? namespaces_no_clone(PLACE, e) : 0;
}
