/*
 * swapping - a child that moves the memory of a frozen group to swap.
 */
#include "sandbox/swapping.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/keep_fds.h"
#include "base/own.h"

_Noreturn static void swapping_child(const struct cgroup_ref *group, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The child must not keep connections or pipes open that its parent closes. */
	if (getppid() == parent && !keep_fds(0, group->dirs, group->count))
		cgroup_swap_out(group);
	_exit(0);
}

bool swapping_begin(const struct cgroup_ref *group, struct swapping *out)
{
	const pid_t parent = getpid();
	const pid_t child = fork();

	*out = swapping_none();
	if (child == 0)
		swapping_child(group, parent);
	if (child < 0)
		return false;
	out->child = child;
	out->pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	if (out->pidfd < 0)
		kill(child, SIGKILL); /* not reaped yet: its pid is still its own */
	return out->pidfd >= 0;
}

void swapping_end(struct swapping *s, struct endings *endings)
{
	struct endings own = {0};

	if (s->child && !waitpid(s->child, NULL, WNOHANG))
		endings_add_process(endings ? endings : &own, s->child, &s->pidfd);
	endings_fini(&own);
	own_close(&s->pidfd);
	s->child = 0;
}
