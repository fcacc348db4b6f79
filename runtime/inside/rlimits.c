/*
 * rlimits - set the limits per process, beneath those per sandbox.
 */
#include "inside/confine.h"
#include "inside/sys.h"

static const char *const names[RLIM_NLIMITS] = {
	[RLIMIT_CPU] = "cpu",           [RLIMIT_FSIZE] = "fsize",
	[RLIMIT_DATA] = "data",         [RLIMIT_STACK] = "stack",
	[RLIMIT_CORE] = "core",         [RLIMIT_RSS] = "rss",
	[RLIMIT_NPROC] = "nproc",       [RLIMIT_NOFILE] = "nofile",
	[RLIMIT_MEMLOCK] = "memlock",   [RLIMIT_AS] = "as",
	[RLIMIT_LOCKS] = "locks",       [RLIMIT_SIGPENDING] = "sigpending",
	[RLIMIT_MSGQUEUE] = "msgqueue", [RLIMIT_NICE] = "nice",
	[RLIMIT_RTPRIO] = "rtprio",     [RLIMIT_RTTIME] = "rttime",
};

static int rlimits_set(const struct inside_plan *plan, int i, struct err *e)
{
	long n = plan->rlimits_set[i] ? sys4(__NR_prlimit64, 0, i, &plan->rlimits[i], NULL) : 0;

	return n < 0 ? inside_fail(e, n, "set the limit (the caller's own hard limit is lower?):",
				   names[i])
		     : 0;
}

int confine_rlimits(const struct inside_plan *plan, struct err *e)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		if (rlimits_set(plan, i, e))
			return -1;
	}
	return 0;
}

/* The filter lets no program set it (seccomp/filter_guard.c): what pid 1 starts inherits it. */
int confine_core_limit(const struct inside_plan *plan, struct err *e)
{
	return rlimits_set(plan, RLIMIT_CORE, e);
}
