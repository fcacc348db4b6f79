/*
 * doctor_limits - check which limits work for the calling user, by trying each.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "admin/doctor.h"
#include "base/buf.h"
#include "cgroup/cgroup_given.h"
#include "cgroup/cgroup_outer.h"
#include "cgroup/cgroup_try.h"
#include "namespace/fresh_proc.h"
#include "spec/spec.h"

/* Start a process that is hidden like pid 1 of a sandbox: not dumpable. */
static pid_t doctor_limits_start_hidden(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, WUNTRACED);
	return pid;
}

static void doctor_limits_set_hidden(struct finding *f)
{
	struct err e;

	doctor_set(f, FINDING_NO,
		   "hides the processes of sandboxes (hidepid): mount it with gid=GROUP and be in "
		   "that group");
	snprintf(f->remedy, sizeof(f->remedy),
		 "as root: mount -o remount,gid=GROUP /proc (and in /etc/fstab), usermod -aG GROUP "
		 "YOU");
	if (fresh_proc_check_host(&e)) {
		err_string(&e, f->text, sizeof(f->text));
		f->remedy[0] = '\0';
	}
}

/*
 * A cold start counts the sockets of pid 1 in /proc (socket_count.h), so it must be visible there.
 * The first process of a cell is.
 */
static void doctor_limits_check_proc(struct finding *f)
{
	char path[64];
	pid_t pid = doctor_limits_start_hidden();

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (pid < 0)
		doctor_set(f, FINDING_NO, "no process can be started to see");
	else if (!access(path, R_OK))
		doctor_set(f, FINDING_OK, "shows the processes of sandboxes");
	else
		doctor_limits_set_hidden(f);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

static void doctor_limits_check_limit(struct finding *f, enum cgroup_controller controller,
				      const char *what)
{
	struct err e;

	doctor_set(f, FINDING_OK, "%s, %s", what, cgroup_detect() ? cgroup_detect()->name : "-");
	if (!cgroup_try(CGROUP_BIT(controller), &e))
		return;
	f->state = FINDING_NO;
	/* Without memory no group can be made. */
	if (geteuid() != 0 && cgroup_is_offered(controller) && cgroup_is_offered(CGROUP_MEMORY) &&
	    !cgroup_is_read_only(controller) && !cgroup_is_read_only(CGROUP_MEMORY)) {
		doctor_set(f, FINDING_NO, "%s: %s", what,
			   cgroup_given_is_old(controller, geteuid())
				   ? "its group, of an earlier glovebox, has limits that you own"
				   : "for root only, so far");
		doctor_remedy_is_setup(f);
		return;
	}
	err_string(&e, f->text, sizeof(f->text));
}

static void doctor_limits_check_memory(struct finding *f)
{
	doctor_limits_check_limit(f, CGROUP_MEMORY, "--memory");
}

static void doctor_limits_check_pids(struct finding *f)
{
	doctor_limits_check_limit(f, CGROUP_PIDS, "--pids-limit");
}

static void doctor_limits_check_cpu(struct finding *f)
{
	doctor_limits_check_limit(f, CGROUP_CPU, "--cpus");
}

static void doctor_limits_check_cpu_time(struct finding *f)
{
	doctor_limits_check_limit(f, CGROUP_CPUACCT, "--cpu-time");
}

static void doctor_limits_check_cpuset(struct finding *f)
{
	doctor_limits_check_limit(f, CGROUP_CPUSET, "--cpuset-cpus");
}

static void doctor_limits_check_freezer(struct finding *f)
{
	doctor_limits_check_limit(f, CGROUP_CONTROLLERS, "session freeze");
}

/*
 * Whether an outer limit is tight: the outer group's OOM killer or fork limit then chooses the
 * victim, not we.
 */
static bool doctor_limits_is_tight(const struct outer_limits *outer)
{
	struct sandbox_spec spec;
	bool tight;

	spec_init(&spec);
	tight = outer->memory_bytes <= spec.limits.memory_bytes || outer->pids <= spec.limits.pids;
	spec_fini(&spec);
	return tight;
}

static void doctor_limits_check_outer(struct finding *f)
{
	auto_buf struct buf text = {0};
	struct outer_limits outer;
	bool tight;

	cgroup_outer(&outer);
	cgroup_outer_describe(&outer, &text);
	doctor_set(f, FINDING_OK, "none is seen around this process");
	if (!text.length)
		return;
	tight = doctor_limits_is_tight(&outer);
	doctor_set(f, tight ? FINDING_NOTE : FINDING_OK, "%s for all that runs here%s%s",
		   buf_string(&text),
		   outer.holds_groups ? "" : " but sandboxes with limits of their own",
		   tight ? ": name a smaller --memory or --pids-limit, or others are ended first"
			 : "");
}

/* clang-format off */
const struct doctor_row doctor_limits[] = {
	/* Vital only for cold starts: warm ones do not need it. */
	{"/proc",          DOCTOR_VITAL, doctor_limits_check_proc},
	{"cgroup memory",  DOCTOR_VITAL, doctor_limits_check_memory},
	{"cgroup pids",    DOCTOR_VITAL, doctor_limits_check_pids},
	{"cgroup cpu",     DOCTOR_VITAL, doctor_limits_check_cpu},
	{"cgroup cpuacct", DOCTOR_PLAIN, doctor_limits_check_cpu_time},
	{"cgroup cpuset",  DOCTOR_PLAIN, doctor_limits_check_cpuset},
	{"cgroup freezer", DOCTOR_PLAIN, doctor_limits_check_freezer},
	{"outer limits",   DOCTOR_RARE,  doctor_limits_check_outer},
	{NULL, DOCTOR_PLAIN, NULL},
};
/* clang-format on */
