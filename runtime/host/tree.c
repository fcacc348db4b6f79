/*
 * tree - the mounts of a plan, as detached trees made without privilege.
 */
#include "host/tree.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"

#define STACK_BYTES (64 << 10)

/* CLONE_VFORK: we sleep until it has ended, so sharing everything is safe. */
#define SHARED (CLONE_VM | CLONE_VFORK | CLONE_FILES)

struct work {
	struct root_op *ops;
	size_t count;
	struct err *e;
};

static bool needs_tree(const struct root_op *op)
{
	return (op->kind == ROOT_BIND || op->kind == ROOT_BASE) && op->tree_fd < 0 && !op->in_image;
}

/* It must still be what root_plan_bind() saw there. */
static int clone_source(struct root_op *op, struct err *e)
{
	auto_fd int fd = (int)syscall(SYS_open_tree, AT_FDCWD, op->source,
				      OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE |
					      AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open mount source %.300s", op->source);
	errno = ESTALE;
	if (st.st_ino != op->inode || st.st_dev != op->device)
		return err_sys(e, "mount source changed: %.300s", op->source);
	op->tree_fd = take_fd(&fd);
	return 0;
}

/*
 * Runs: a process in our memory, with all capabilities over its own namespaces. As in a cold
 * start, the copies are private first: nothing that the host mounts later appears in them,
 * and those that may not be bound (MS_UNBINDABLE) are not left out.
 */
static int clone_sources(void *argument)
{
	const struct work *w = argument;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return err_sys(w->e, "make a copy of the mounts private");
	for (size_t i = 0; i < w->count; i++) {
		if (needs_tree(&w->ops[i]) && clone_source(&w->ops[i], w->e))
			return -1;
	}
	return 0;
}

/* Without an exit signal, nobody who handles SIGCHLD is bothered. */
static int run(struct work *w)
{
	_Alignas(16) char stack[STACK_BYTES];
	int status = 0;
	pid_t pid = clone(clone_sources, stack + sizeof(stack),
			  SHARED | CLONE_NEWUSER | CLONE_NEWNS, w);

	if (pid < 0)
		return err_sys(w->e, "create namespaces to clone mounts in");
	while (waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status))
		return err_set(w->e, ERR_SYSTEM, "the process that clones mounts was killed");
	return WEXITSTATUS(status) ? -1 : 0;
}

int tree_clone(struct root_op *ops, size_t count, struct err *e)
{
	struct work w = {ops, count, e};

	for (size_t i = 0; i < count; i++) {
		if (needs_tree(&ops[i]))
			return run(&w);
	}
	return 0;
}
