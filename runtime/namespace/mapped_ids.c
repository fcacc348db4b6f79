/*
 * mapped_ids - read files of a sandbox whose ids are not those of the ordinary user who started it.
 */
#include "namespace/mapped_ids.h"

#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"

#define STACK_BYTES (1u << 20)

/* CLONE_VFORK suspends us until the child has ended, so sharing everything is safe. */
#define SHARED (CLONE_VM | CLONE_VFORK | CLONE_FILES)

struct work {
	int users_fd;
	pid_t parent;
	int (*what)(void *argument, struct err *e);
	void *argument;
	struct err *e;
};

static int mapped_ids_keep_reading(struct err *e)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}, {0}};

	data[0].effective = data[0].permitted = 1u << CAP_DAC_READ_SEARCH;
	return syscall(SYS_capset, &header, data) ? err_sys(e, "drop capabilities") : 0;
}

static int mapped_ids_join(int users_fd, struct err *e)
{
	return setns(users_fd, CLONE_NEWUSER)
		       ? err_sys(e, "enter the user namespace of the sandbox's ids")
		       : 0;
}

int mapped_ids_enter(int users_fd, struct err *e)
{
	return mapped_ids_join(users_fd, e) || mapped_ids_keep_reading(e) ? -1 : 0;
}

int mapped_ids_become(int users_fd, uint32_t uid, uint32_t gid, int root, struct err *e)
{
	/* An ordinary user's namespace lets nobody change groups (user_namespaces(7)). */
	const bool has_groups = geteuid() == 0;

	if (mapped_ids_join(users_fd, e))
		return -1;
	if (fchdir(root) || chroot("."))
		return err_sys(e, "have the layers of the root as root");
	if ((has_groups && setgroups(0, NULL)) || setresgid(gid, gid, gid) ||
	    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setresuid(uid, uid, uid))
		return err_sys(e, "take an id of the sandbox");
	return mapped_ids_keep_reading(e);
}

static int mapped_ids_work(void *argument)
{
	struct work *w = argument;

	if (mapped_ids_enter(w->users_fd, w->e))
		return 1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != w->parent)
		return 1; /* the error is not read */
	return w->what(w->argument, w->e) ? 1 : 0;
}

int mapped_ids_call(int users_fd, int (*what)(void *argument, struct err *e), void *argument,
		    struct err *e)
{
	struct work w = {users_fd, getpid(), what, argument, e};
	auto_free char *stack = own_zeroed(1, STACK_BYTES);
	pid_t pid = clone(mapped_ids_work, stack + STACK_BYTES, SHARED, &w);
	int status;

	if (pid < 0)
		return err_sys(e, "make a process");
	status = process_reap(pid, __WALL);
	if (!WIFEXITED(status))
		return err_set(e, ERR_SYSTEM,
			       "the process that reads the sandbox's files was killed");
	return WEXITSTATUS(status) ? -1 : 0;
}
