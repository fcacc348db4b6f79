/*
 * doctor - one screen: what this host offers, what is missing, the remedy.
 *
 * Each row asks the kernel, not a version number.
 */
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/say.h"
#include "cli/command.h"
#include "host/cgroup.h"
#include "host/idmap.h"
#include "host/sandbox.h"

struct finding {
	bool good;
	bool needed; /* false: a sandbox is still sound without it */
	char text[700];
};

static void set(struct finding *f, bool good, bool needed, const char *text)
{
	f->good = good;
	f->needed = needed;
	snprintf(f->text, sizeof(f->text), "%s", text);
}

static bool file_says(const char *path, const char *value)
{
	char text[64];

	return !io_peek(AT_FDCWD, path, text, sizeof(text)) && !strcmp(text, value);
}

static void check_kernel(struct finding *f)
{
	struct utsname uts;
	char *rest;
	long major;
	long minor;

	uname(&uts);
	major = strtol(uts.release, &rest, 10);
	minor = *rest == '.' ? strtol(rest + 1, NULL, 10) : 0;
	set(f, major > 5 || (major == 5 && minor >= 12), true, "");
	snprintf(f->text, sizeof(f->text), "Linux %.100s on %.20s%s", uts.release, uts.machine,
		 f->good ? "" : ": 5.12 or newer is needed (mount_setattr)");
}

static void check_user_namespaces(struct finding *f)
{
	struct clone_args args = {.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID,
				  .exit_signal = SIGCHLD};
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (pid == 0)
		_exit(0);
	if (pid > 0) {
		waitpid(pid, NULL, 0);
		set(f, true, true, "can be created");
		return;
	}
	if (file_says("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"))
		set(f, false, true,
		    "restricted by AppArmor (Ubuntu): sysctl "
		    "kernel.apparmor_restrict_unprivileged_userns=0, "
		    "or install an AppArmor profile that allows userns for glovebox");
	else if (file_says("/proc/sys/kernel/unprivileged_userns_clone", "0"))
		set(f, false, true, "switched off: sysctl kernel.unprivileged_userns_clone=1");
	else if (file_says("/proc/sys/user/max_user_namespaces", "0"))
		set(f, false, true, "switched off: sysctl user.max_user_namespaces=10000");
	else
		set(f, false, true,
		    "refused: inside a container, run it with --security-opt seccomp=unconfined "
		    "and "
		    "systempaths=unconfined, or run glovebox on the host");
}

static void check_cgroup(struct finding *f)
{
	f->needed = true;
	f->good = !cgroup_probe(f->text, sizeof(f->text));
}

static void check_swap(struct finding *f)
{
	set(f, true, false,
	    cgroup_host_has_swap() ? "the host swaps; sandboxes do not unless --memory-swap says so"
				   : "the host has none");
}

static void check_landlock(struct finding *f)
{
	int abi = landlock_abi();

	set(f, abi > 0, false,
	    "missing: boot with lsm=landlock,... for a second wall behind the mounts");
	if (abi > 0)
		snprintf(f->text, sizeof(f->text), "ABI %d%s", abi,
			 abi >= 6 ? "" : " (6 also scopes signals and abstract sockets)");
}

static void check_seccomp(struct finding *f)
{
	/* A null program: EFAULT says that filters exist. */
	bool good = prctl(PR_SET_SECCOMP, 2, NULL) < 0 && errno == EFAULT;

	set(f, good, true,
	    good ? "filters can be installed" : "no filters: CONFIG_SECCOMP_FILTER is needed");
}

static void check_idmapped(struct finding *f)
{
	struct err e;
	struct idmap map;
	int fd = -1;

	if (geteuid()) {
		set(f, true, false, "not needed: files are yours on both sides");
		return;
	}
	idmap_choose(1000, 1000, &map);
	if (idmap_namespace(&map, 0, 0, &fd, &e))
		set(f, false, false, "missing: writable mounts must belong to an ordinary user");
	else
		set(f, true, false,
		    "available (ext4, xfs, btrfs; tmpfs since 6.3); elsewhere the owner's ids are "
		    "used");
	own_close(&fd);
}

static void check_subids(struct finding *f)
{
	set(f, true, false,
	    geteuid() == 0 || !access("/etc/subuid", R_OK)
		    ? "only building images rootless needs them (/etc/subuid)"
		    : "no /etc/subuid: images cannot be built rootless, only imported; runs need "
		      "none");
}

static void check_container(struct finding *f)
{
	bool inside = !access("/.dockerenv", F_OK) || !access("/run/.containerenv", F_OK);

	set(f, true, false,
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
		{"kernel",           check_kernel         },
		{"user namespaces",  check_user_namespaces},
		{"control groups",   check_cgroup         },
		{"swap",             check_swap           },
		{"seccomp",          check_seccomp        },
		{"landlock",         check_landlock       },
		{"id-mapped mounts", check_idmapped       },
		{"subordinate ids",  check_subids         },
		{"in a container",   check_container      },
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
		    : "\nSandboxes cannot be made here until the rows marked NO are mended.");
	return usable ? 0 : 1;
}
