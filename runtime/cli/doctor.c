/*
 * doctor - one screen: what this host offers, what is missing, the remedy.
 *
 * Each row asks the kernel, not a version number.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/say.h"
#include "cli/command.h"
#include "host/cgroup.h"
#include "host/core_pattern.h"
#include "host/idmap.h"
#include "host/namespaces.h"
#include "host/sandbox.h"
#include "spec/spec.h"

struct finding {
	bool good;
	bool needed; /* false: a sandbox is sound without it */
	char text[700];
};

static void doctor_set(struct finding *f, bool good, bool needed, const char *text)
{
	f->good = good;
	f->needed = needed;
	snprintf(f->text, sizeof(f->text), "%s", text);
}

static void doctor_check_kernel(struct finding *f)
{
	struct utsname uts;
	char *rest;
	long major;
	long minor;

	uname(&uts);
	major = strtol(uts.release, &rest, 10);
	minor = *rest == '.' ? strtol(rest + 1, NULL, 10) : 0;
	doctor_set(f, major > 5 || (major == 5 && minor >= 12), true, "");
	snprintf(f->text, sizeof(f->text), "Linux %.100s on %.20s%s", uts.release, uts.machine,
		 f->good ? "" : ": 5.12 or newer is needed (mount_setattr)");
}

static void doctor_check_namespaces(struct finding *f)
{
	const uint64_t kinds = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC |
			       CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP;
	struct err e;

	doctor_set(f, true, true, "can be created, with all others below them");
	if (!namespaces_try(kinds))
		return;
	namespaces_refused(kinds, "refused", &e);
	f->good = false;
	err_string(&e, f->text, sizeof(f->text));
}

static void doctor_check_cgroup(struct finding *f)
{
	f->needed = true;
	f->good = !cgroup_probe(f->text, sizeof(f->text));
}

/* Like pid 1 of a sandbox: not dumpable. */
static pid_t doctor_start_hidden(void)
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

/* A run counts sockets in there, and finds processes to be killed (socket_count.h). */
static void doctor_check_proc(struct finding *f)
{
	char path[64];
	pid_t pid = doctor_start_hidden();

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (pid > 0 && !access(path, R_OK))
		doctor_set(f, true, true, "shows the processes of sandboxes");
	else
		doctor_set(f, false, true,
			   "hides the processes of sandboxes (hidepid): mount it with gid=GROUP "
			   "and be in "
			   "that group");
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* Use the limit that a program would get: ours, or the caller's own if that is lower. */
static void doctor_check_core(struct finding *f)
{
	struct rlimit core = {SPEC_NO_CORE, SPEC_NO_CORE};
	struct rlimit own;
	struct err e;

	if (!getrlimit(RLIMIT_CORE, &own) && own.rlim_max < SPEC_NO_CORE)
		core.rlim_cur = core.rlim_max = own.rlim_max;
	if (core_pattern_check(&core, &e)) {
		f->needed = true;
		err_string(&e, f->text, sizeof(f->text));
		return;
	}
	doctor_set(
		f, true, true,
		core_pattern_is_program()
			? "a program takes them (kernel.core_pattern), but not those of sandboxes"
			: "no program of this host takes them (kernel.core_pattern)");
}

static void doctor_check_swap(struct finding *f)
{
	doctor_set(f, true, false,
		   cgroup_host_has_swap()
			   ? "the host swaps; sandboxes do not unless --memory-swap says so"
			   : "the host has none");
}

static void doctor_check_landlock(struct finding *f)
{
	int abi = landlock_abi();

	doctor_set(f, abi > 0, false,
		   "missing: boot with lsm=landlock,... for a second wall behind the mounts");
	if (abi > 0)
		snprintf(f->text, sizeof(f->text), "ABI %d%s", abi,
			 abi >= 6 ? "" : " (6 also scopes signals and abstract sockets)");
}

static void doctor_check_seccomp(struct finding *f)
{
	/* With a null program EFAULT shows that filters exist. */
	bool good = prctl(PR_SET_SECCOMP, 2, NULL) < 0 && errno == EFAULT;

	doctor_set(f, good, true,
		   good ? "filters can be installed"
			: "no filters: CONFIG_SECCOMP_FILTER is needed");
}

static void doctor_check_idmapped(struct finding *f)
{
	struct err e;
	struct idmap map;
	int fd = -1;

	if (geteuid()) {
		doctor_set(f, true, false, "not needed: files are yours on both sides");
		return;
	}
	idmap_choose(1000, 1000, &map);
	if (idmap_namespace(&map, 0, 0, &fd, &e))
		err_string(&e, f->text, sizeof(f->text));
	else
		doctor_set(f, true, false,
			   "available (ext4, xfs, btrfs; tmpfs since 6.3); elsewhere the owner's "
			   "ids are "
			   "used");
	own_close(&fd);
}

static void doctor_check_subids(struct finding *f)
{
	doctor_set(f, true, false,
		   geteuid() == 0 || !access("/etc/subuid", R_OK)
			   ? "only building images rootless needs them (/etc/subuid)"
			   : "no /etc/subuid: images cannot be built rootless, only imported; runs "
			     "need "
			     "none");
}

static void doctor_check_container(struct finding *f)
{
	bool inside = !access("/.dockerenv", F_OK) || !access("/run/.containerenv", F_OK);

	doctor_set(f, true, false,
		   inside ? "yes: a fresh /proc needs the container's own to be unmasked "
			    "(--security-opt systempaths=unconfined)"
			  : "no");
}

int command_doctor(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*check)(struct finding *f);
	} rows[] = {
		{"kernel",           doctor_check_kernel    },
		{"user namespaces",  doctor_check_namespaces},
		{"control groups",   doctor_check_cgroup    },
		{"/proc",            doctor_check_proc      },
		{"core dumps",       doctor_check_core      },
		{"swap",             doctor_check_swap      },
		{"seccomp",          doctor_check_seccomp   },
		{"landlock",         doctor_check_landlock  },
		{"id-mapped mounts", doctor_check_idmapped  },
		{"subordinate ids",  doctor_check_subids    },
		{"in a container",   doctor_check_container },
	};
	bool usable = true;
	int status = no_arguments(argc, argv);

	if (status)
		return status;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct finding f = {0};

		rows[i].check(&f);
		printf("%-4s %-17s ", f.good ? "ok" : f.needed ? "NO" : "-", rows[i].name);
		say_line(stdout, f.text);
		putchar('\n');
		usable &= f.good || !f.needed;
	}
	puts(usable ? "\nSandboxes can be made here, with every limit enforced."
		    : "\nSandboxes cannot be made here until the rows marked NO are fixed.");
	return usable ? 0 : 1;
}
