/*
 * doctor_host - check the kernel and its settings, for doctor.
 *
 * Each row asks the kernel, not a version number.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "admin/doctor.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "base/own.h"
#include "cgroup/cgroup.h"
#include "host/core_pattern.h"
#include "host/device.h"
#include "namespace/container.h"
#include "namespace/fresh_proc.h"
#include "namespace/idmap.h"
#include "namespace/namespaces.h"
#include "root/tree.h"
#include "sandbox/sandbox.h"
#include "spec/policy.h"
#include "spec/spec.h"

/* Read a file, so that a test can substitute one. */
static void doctor_host_release(char *out, size_t size)
{
	struct utsname uts;

	if (io_peek(AT_FDCWD, "/proc/sys/kernel/osrelease", out, size) && !uname(&uts))
		snprintf(out, size, "%s", uts.release);
}

static void doctor_host_check_kernel(struct finding *f)
{
	char release[100];
	struct utsname uts;
	struct err e;
	bool one;

	uname(&uts);
	doctor_host_release(release, sizeof(release));
	one = strstr(release, "Microsoft");
	doctor_set(f, FINDING_OK, "Linux %s on %.20s", release, uts.machine);
	if (!one && !namespaces_check_kernel(&e))
		return;
	doctor_set(f, FINDING_NO, "Linux %s on %.20s: %s", release, uts.machine,
		   one ? "5.12 or newer is needed" : e.text);
	if (one)
		snprintf(f->remedy, sizeof(f->remedy),
			 "WSL 1 has no Linux: in Windows, wsl --set-version DISTRIBUTION 2");
}

static void doctor_host_check_namespaces(struct finding *f)
{
	const uint64_t kinds = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC |
			       CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP;
	struct err e;

	doctor_set(f, FINDING_OK, "can be created, with all others below them");
	if (!namespaces_try(kinds))
		return;
	namespaces_refused(kinds, "refused", &e);
	doctor_fail(f, &e);
}

static void doctor_host_check_fresh_proc(struct finding *f)
{
	struct err e;

	doctor_set(f, FINDING_OK, "can be mounted for a sandbox");
	if (!fresh_proc_check_host(&e)) {
		/*
		 * Without namespaces nothing can be tried (the row above says so), but covering
		 * mounts are visible.
		 */
		bool tried = !namespaces_try(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID);

		if (tried ? !fresh_proc_try() : !fresh_proc_covers(NULL))
			return;
		errno = tried ? errno : EPERM;
		fresh_proc_refused("refused", &e);
	}
	doctor_fail(f, &e);
}

/* Use the limit that a program would get: ours, or the caller's own if that is lower. */
static void doctor_host_check_core(struct finding *f)
{
	struct rlimit core = {SPEC_NO_CORE, SPEC_NO_CORE};
	struct rlimit own;
	struct err e;

	if (!getrlimit(RLIMIT_CORE, &own) && own.rlim_max < SPEC_NO_CORE)
		core.rlim_cur = core.rlim_max = own.rlim_max;
	if (core_pattern_check(&core, &e)) {
		doctor_fail(f, &e);
		return;
	}
	doctor_set(
		f, FINDING_OK, "%s",
		core_pattern_is_program()
			? "a program takes them (kernel.core_pattern), but not those of sandboxes"
			: "no program of this host takes them (kernel.core_pattern)");
}

static void doctor_host_check_swap(struct finding *f)
{
	doctor_set(f, FINDING_OK, "%s",
		   cgroup_host_has_swap()
			   ? "the host swaps; sandboxes do not unless --memory-swap says so"
			   : "the host has none");
}

static void doctor_host_check_landlock(struct finding *f)
{
	int abi = landlock_abi();

	doctor_set(f, FINDING_NOTE, "missing: %s, for a second wall behind the mounts",
		   errno == EOPNOTSUPP ? "boot with lsm=landlock,..."
				       : "the kernel has none, or a system call filter refuses it");
	if (abi > 0)
		doctor_set(f, FINDING_OK, "ABI %d%s", abi,
			   abi >= 6 ? "" : " (6 also scopes signals and abstract sockets)");
}

static void doctor_host_check_seccomp(struct finding *f)
{
	/* With a null program EFAULT shows that the kernel supports filters. */
	prctl(PR_SET_SECCOMP, 2, NULL);
	doctor_set(f, FINDING_OK, "filters can be installed");
	if (errno == EPERM || errno == EACCES)
		doctor_set(f, FINDING_NO,
			   "a system call filter refuses others: run the container with "
			   "--security-opt seccomp=unconfined, or run on the host");
	else if (errno != EFAULT)
		doctor_set(f, FINDING_NO, "no filters: CONFIG_SECCOMP_FILTER is needed");
}

static void doctor_host_check_ids(struct finding *f)
{
	struct err e;

	doctor_set(f, FINDING_OK, "%s",
		   geteuid() ? "sandboxes use your own" : "each sandbox gets some of its own");
	if (!idmap_check_ids(&e))
		return;
	doctor_fail(f, &e);
}

static void doctor_host_check_idmapped(struct finding *f)
{
	struct err e;
	struct idmap map;
	int fd = -1;

	if (geteuid()) {
		doctor_set(f, FINDING_OK, "not needed: files are yours on both sides");
		return;
	}
	idmap_choose(1000, 1000, &map);
	f->state = FINDING_NOTE;
	if (namespaces_check_kernel(&e) || idmap_namespace(&map, 0, 0, &fd, &e))
		err_string(&e, f->text, sizeof(f->text));
	else
		doctor_set(f, FINDING_OK,
			   "available (ext4, xfs, btrfs; tmpfs since 6.3); elsewhere the owner's "
			   "ids are "
			   "used");
	own_close(&fd);
}

/* Whether all rows above are ok; then the kind of container does not matter. */
static bool doctor_host_is_well(void)
{
	struct finding because;

	return doctor_is_usable(doctor_host, &because) && doctor_is_usable(doctor_limits, &because);
}

static void doctor_host_check_container(struct finding *f)
{
	struct container c;
	auto_buf struct buf seen = {0};
	auto_buf struct buf flags = {0};

	container_look(&c);
	container_describe(&c, &seen);
	doctor_set(f, FINDING_OK, "%s%s",
		   container_is_one(&c) ? "yes: "
		   : seen.length        ? "no, but there is: "
					: "no",
		   buf_string(&seen));
	if (doctor_host_is_well() || c.is_sandbox)
		return;
	container_flags(&c, &flags);
	snprintf(f->remedy, sizeof(f->remedy), "%s", buf_string(&flags));
	f->state = flags.length ? FINDING_NOTE : FINDING_OK;
}

static void doctor_host_check_windows(struct finding *f)
{
	char release[100];

	doctor_host_release(release, sizeof(release));
	doctor_set(f, FINDING_OK, "%s", strstr(release, "icrosoft") ? "yes: WSL 2" : "no");
	if (!strstr(release, "microsoft") || !access("/run/systemd/system", F_OK))
		return;
	doctor_set(f, FINDING_NOTE,
		   "WSL 2 without systemd, which gives users control groups: root has limits");
	snprintf(f->remedy, sizeof(f->remedy),
		 "systemd=true below [boot] in /etc/wsl.conf, then in Windows: wsl --shutdown");
}

static void doctor_host_check_policy(struct finding *f)
{
	auto_buf struct buf text = {0};
	auto_policy struct policy policy;
	struct err e;

	if (policy_read(&policy, &e)) {
		doctor_fail(f, &e);
		return;
	}
	policy_write(&policy, ", ", &text);
	doctor_set(f, FINDING_OK, "%s%s", text.length ? "at most " : "",
		   text.length ? buf_string(&text)
			       : "no limit has a ceiling (" POLICY_DIRECTORY ")");
}

static void doctor_host_check_mounts(struct finding *f)
{
	struct err e;

	doctor_set(f, FINDING_OK, "%s",
		   geteuid() ? "cloned in a namespace of your own" : "can be cloned for a sandbox");
	if (!tree_try(&e))
		return;
	doctor_fail(f, &e);
}

static void doctor_host_check_devices(struct finding *f)
{
	struct err e;

	doctor_set(f, FINDING_OK, "/dev/null and others are there");
	for (size_t i = 0; devices[i].path; i++) {
		if (!device_check(&devices[i], &e))
			continue;
		doctor_fail(f, &e);
		return;
	}
}

/* Root's cold start needs most: about 40, while it clones mounts. */
#define NEEDS_FILES     64
#define NEEDS_PROCESSES 8

/* Check our own limits: sandboxes inherit them, or need them while they are made. */
static void doctor_host_check_ulimits(struct finding *f)
{
	static const struct {
		int resource;
		rlim_t needs;
		const char *what;
		const char *remedy;
	} limits[] = {
		{RLIMIT_NOFILE, NEEDS_FILES,     "open files", "ulimit -n 1024"},
		{RLIMIT_NPROC,  NEEDS_PROCESSES, "processes",  "ulimit -u 1024"},
	};
	struct rlimit own;

	doctor_set(f, FINDING_OK, "of files and processes are high enough");
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (getrlimit(limits[i].resource, &own) || own.rlim_cur >= limits[i].needs)
			continue;
		doctor_set(f, FINDING_NO, "only %llu %s: %llu are needed",
			   (unsigned long long)own.rlim_cur, limits[i].what,
			   (unsigned long long)limits[i].needs);
		snprintf(f->remedy, sizeof(f->remedy), "%s", limits[i].remedy);
		return;
	}
}

/* clang-format off */
const struct doctor_row doctor_host[] = {
	{"kernel",           DOCTOR_VITAL, doctor_host_check_kernel},
	{"user namespaces",  DOCTOR_VITAL, doctor_host_check_namespaces},
	{"ids",              DOCTOR_VITAL, doctor_host_check_ids},
	{"mounts",           DOCTOR_VITAL, doctor_host_check_mounts},
	{"fresh /proc",      DOCTOR_VITAL, doctor_host_check_fresh_proc},
	{"devices",          DOCTOR_VITAL, doctor_host_check_devices},
	{"ulimits",          DOCTOR_VITAL, doctor_host_check_ulimits},
	{"core dumps",       DOCTOR_VITAL, doctor_host_check_core},
	{"seccomp",          DOCTOR_VITAL, doctor_host_check_seccomp},
	{"swap",             DOCTOR_PLAIN, doctor_host_check_swap},
	{"landlock",         DOCTOR_PLAIN, doctor_host_check_landlock},
	{"id-mapped mounts", DOCTOR_PLAIN, doctor_host_check_idmapped},
	{"in a container",   DOCTOR_PLAIN, doctor_host_check_container},
	{"policy.d",         DOCTOR_VITAL, doctor_host_check_policy},
	{"Windows",          DOCTOR_RARE,  doctor_host_check_windows},
	{NULL, DOCTOR_PLAIN, NULL},
};
/* clang-format on */
