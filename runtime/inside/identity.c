/*
 * identity - reset what a process inherits from its caller: its parent-death signal, session, keys,
 * priority and names.
 */
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include "inside/confine.h"
#include "inside/sys.h"

/*
 * Set it first, and again after ids, because the kernel clears it when ids change (prctl(2)). If
 * the parent died earlier, the control socket tells.
 */
int confine_parent_death(const struct inside_plan *plan, struct err *e)
{
	long n = sys2(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL);

	(void)plan;
	return n < 0 ? inside_fail(e, n, "set the parent-death signal", NULL) : 0;
}

/*
 * pid 1 continues to run the monitor's own program. If it is not dumpable, processes inside do not
 * own its /proc entries, which refuse exe, mem, environ, fd and root; with hidepid it does not
 * appear at all.
 */
int confine_init_dumpable(const struct inside_plan *plan, struct err *e)
{
	long n = sys2(__NR_prctl, PR_SET_DUMPABLE, confine_omitted(plan, "undumpable"));

	(void)plan;
	return n < 0 ? inside_fail(e, n, "make pid 1 undumpable", NULL) : 0;
}

int confine_session(const struct inside_plan *plan, struct err *e)
{
	long n = sys0(__NR_setsid);

	(void)plan;
	return n < 0 ? inside_fail(e, n, "start a new session", NULL) : 0;
}

/* A kernel without key support (ENOSYS) has no keys to protect. */
int confine_keyring(const struct inside_plan *plan, struct err *e)
{
	long n = sys2(__NR_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);

	(void)plan;
	return n < 0 && n != -ENOSYS ? inside_fail(e, n, "join a new session keyring", NULL) : 0;
}

int confine_umask(const struct inside_plan *plan, struct err *e)
{
	long n = sys1(__NR_personality, 0);

	(void)plan;
	if (n < 0)
		return inside_fail(e, n, "reset the personality", NULL);
	sys1(__NR_umask, 022);
	return 0;
}

/* Write 0 to 999 in decimal. Returns the number of digits. */
static int identity_format_score(int value, char *out)
{
	out[0] = (char)('0' + value / 100 % 10);
	out[1] = (char)('0' + value / 10 % 10);
	out[2] = (char)('0' + value % 10);
	return 3;
}

/*
 * Take SCHED_OTHER and a high out-of-memory score: lowering one's priority is always allowed. A
 * caller's positive nice value can only be undone with CAP_SYS_NICE outside, so a privileged
 * monitor did that before the clone. SCHED_IDLE, which is lower still, stays if we may not raise it
 * (sched(7)). This step precedes joining cgroups: a v1 cpu group takes no real-time task.
 */
int confine_priority(const struct inside_plan *plan, struct err *e)
{
	int zero = 0; /* struct sched_param */
	char score[4];
	long fd;
	long n;

	n = sys3(__NR_sched_setscheduler, 0, SCHED_OTHER, &zero);
	if (n < 0 && (n != -EPERM || sys1(__NR_sched_getscheduler, 0) != SCHED_IDLE))
		return inside_fail(e, n, "reset the scheduling policy", NULL);
	fd = sys_openat(AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return inside_fail(e, fd, "open", "/proc/self/oom_score_adj");
	n = sys_write((int)fd, score, (size_t)identity_format_score(plan->oom_score_adj, score));
	sys_close((int)fd);
	/* EACCES: the caller already has a higher score: keep that. */
	if (n < 0 && n != -EACCES)
		return inside_fail(e, n, "write", "/proc/self/oom_score_adj");
	return 0;
}

int confine_hostname(const struct inside_plan *plan, struct err *e)
{
	long n = sys2(__NR_sethostname, plan->hostname, sys_strlen(plan->hostname));

	if (n < 0)
		return inside_fail(e, n, "set the host name", NULL);
	n = sys2(__NR_setdomainname, "(none)", 6);
	return n < 0 ? inside_fail(e, n, "set the domain name", NULL) : 0;
}
