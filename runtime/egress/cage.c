/*
 * cage - give up everything but the network: the process that reads hostile bytes holds nothing
 * else.
 */
#include "egress/cage.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/landlock_abi.h"
#include "base/own.h"
#include "base/privileges.h"
#include "egress_filter.h"
#include "host/omit.h"

#define CAGE_NOBODY 65534

/* Changing ids clears the parent-death signal (prctl(2)), so set it again if our starter had. */
static int cage_ids(struct err *e)
{
	int death = 0;

	if (geteuid() != 0)
		return 0;
	if (prctl(PR_GET_PDEATHSIG, &death))
		return err_sys(e, "read the parent-death signal");
	if (setgroups(0, NULL) || setresgid(CAGE_NOBODY, CAGE_NOBODY, CAGE_NOBODY) ||
	    setresuid(CAGE_NOBODY, CAGE_NOBODY, CAGE_NOBODY))
		return err_sys(e, "become nobody");
	return prctl(PR_SET_PDEATHSIG, death) ? err_sys(e, "set the parent-death signal") : 0;
}

static int cage_caps(struct err *e)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		return err_sys(e, "give up what programs could give back");
	return privileges_keep("egress", "caged", e); /* no row: the process keeps none */
}

static void cage_allow_reading(int ruleset, const char *path)
{
	auto_fd int fd = open(path, O_PATH | O_CLOEXEC);
	struct landlock_beneath rule = {.allowed = LANDLOCK_READ_FILE, .directory = fd};

	if (fd >= 0) /* a missing file cannot be read either */
		(void)syscall(LANDLOCK_ADD, ruleset, LANDLOCK_PATH_BENEATH, &rule, 0);
}

static int cage_landlock(struct err *e)
{
	int abi = (int)syscall(LANDLOCK_CREATE, NULL, 0, 1u);
	struct landlock_handled rules = {
		.fs = landlock_all_rights(abi),
		.scoped = abi >= 6 ? LANDLOCK_ABSTRACT_UNIX | LANDLOCK_SIGNAL : 0};
	size_t size = abi >= 6 ? sizeof(rules) : sizeof(rules.fs);
	auto_fd int ruleset = -1;

	if (abi <= 0)
		return 0; /* Landlock is optional: the filter below opens files for reading only */
	ruleset = (int)syscall(LANDLOCK_CREATE, &rules, size, 0);
	if (ruleset < 0)
		return err_sys(e, "create the landlock ruleset");
	cage_allow_reading(ruleset, "/etc/hosts");
	cage_allow_reading(ruleset, "/etc/resolv.conf");
	if (syscall(LANDLOCK_SELF, ruleset, 0))
		return err_sys(e, "enforce landlock");
	return 0;
}

static int cage_limits(struct err *e)
{
	static const struct {
		int resource;
		rlim_t most;
	} limits[] = {
		{RLIMIT_NPROC, 0        },
		{RLIMIT_CORE,  1        }, /* 0 would still run the host's core_pattern program */
#ifndef __SANITIZE_ADDRESS__
		{RLIMIT_AS,    256 << 20}, /* AddressSanitizer reserves terabytes */
#endif
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		const struct rlimit limit = {limits[i].most, limits[i].most};

		if (setrlimit(limits[i].resource, &limit))
			return err_sys(e, "set a limit of the process for the network");
	}
	return 0;
}

static int cage_filter(struct err *e)
{
	const struct sock_fprog program = {sizeof(egress_filter) / sizeof(egress_filter[0]),
					   (struct sock_filter *)egress_filter};

#ifdef __SANITIZE_ADDRESS__
	return 0; /* the sanitizer makes calls that our filter denies */
#endif
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		return err_sys(e, "install the system call filter");
	return 0;
}

int cage_enter(struct err *e)
{
	if (host_omits("egress-cage"))
		return 0;
	return cage_ids(e) || cage_caps(e) || cage_landlock(e) || cage_limits(e) || cage_filter(e)
		       ? -1
		       : 0;
}
