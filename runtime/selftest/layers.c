/*
 * layers - the table of layers, and whether this kernel and this user have each.
 */
#include "selftest/layers.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cgroup/cgroup_try.h"
#include "sandbox/sandbox.h"

static int layers_landlock(struct err *e)
{
	return landlock_abi() > 0 ? 0 : err_set(e, ERR_UNSUPPORTED, "this kernel has no Landlock");
}

static int layers_keys(struct err *e)
{
	errno = 0;
	if (syscall(SYS_keyctl, 0, -3, 0) < 0 && errno == ENOSYS)
		return err_set(e, ERR_UNSUPPORTED, "this kernel has no keys");
	return 0;
}

/* doctor explains the reason. */
static int layers_limit(unsigned wanted, struct err *e)
{
	return cgroup_try(wanted, e) ? err_set(e, ERR_UNSUPPORTED,
					       "this user has no such limit: see glovebox doctor")
				     : 0;
}

static int layers_memory(struct err *e)
{
	return layers_limit(CGROUP_BIT(CGROUP_MEMORY), e);
}

static int layers_pids(struct err *e)
{
	return layers_limit(CGROUP_BIT(CGROUP_PIDS), e);
}

static int layers_cpu(struct err *e)
{
	return layers_limit(CGROUP_BIT(CGROUP_CPU), e);
}

static int layers_cpu_time(struct err *e)
{
	return layers_limit(CGROUP_BIT(CGROUP_CPUACCT), e);
}

static int layers_group(struct err *e)
{
	return layers_limit(CGROUP_DEFAULT, e);
}

static int layers_root_only(struct err *e)
{
	return geteuid() ? err_set(e, ERR_UNSUPPORTED, "only root can look at it") : 0;
}

/* clang-format off */
const struct layer layers[] = {
	{"user-ns",           "one id of the host's, which is not root", NULL},
	{"mount-ns",          "mounts of its own", NULL},
	{"pid-ns",            "processes of its own", NULL},
	{"net-ns",            "no network and no socket of the host's", NULL},
	{"loopback",          "127.0.0.1 of its own", NULL},
	{"ipc-ns",            "no shared memory or queue of the host's", NULL},
	{"uts-ns",            "host names of its own", NULL},
	{"hostname",          "the name that was asked for, not the host's", NULL},
	{"cgroup-ns",         "the host's control groups are invisible", NULL},
	{"root",              "no file of the host's is there; /sys is empty, /dev has harmless devices", NULL},
	{"ro-root",           "the root is read-only", NULL},
	{"nosuid",            "set-uid programs are inert on every mount", NULL},
	{"nodev",             "device nodes are inert but in /dev", NULL},
	{"noexec",            "no program starts from /tmp, /dev/shm or /proc", NULL},
	{"hide-mounts",       "mount tables are empty, and there is no way to a namespace", NULL},
	{"hidepid",           "pid 1 is not in /proc", NULL},
	{"proc-subset",       "/proc shows processes, and nothing of the kernel", NULL},
	{"tmpfs",             "size and files of /tmp are bounded", NULL},
	{"workdir",           "the current directory is inside", NULL},
	{"environment",       "no variable of the caller's", NULL},
	{"stdio",             "its streams are pipes of ours", NULL},
	{"terminal",          "with -t, a terminal made inside", NULL},
	{"close-fds",         "no descriptor of the caller's", NULL},
	{"session",           "a session of its own, without a terminal", NULL},
	{"signals",           "no signal is ignored or blocked", NULL},
	{"umask",             "umask 022, and no personality", NULL},
	{"priority",          "normal scheduling, first to go when memory is short", NULL},
	{"rlimits",           "no core dumps; limits per process", NULL},
	{"keyring",           "no key of the caller's", layers_keys},
	{"ids",               "user and group, and no other group", NULL},
	{"bounding",          "no capability can be regained by exec", NULL},
	{"caps",              "no capability", NULL},
	{"no-new-privs",      "exec gives no rights", NULL},
	{"landlock",          "a second wall behind the mounts", layers_landlock},
	{"seccomp",           "each refused system call is refused, and each allowed one is not", NULL},
	{"init-dumpable",     "pid 1 gives nothing of its memory", NULL},
	{"init-close-fds",    "pid 1 holds the control socket only", layers_root_only},
	{"init-caps",         "pid 1 has no capability", NULL},
	{"init-no-new-privs", "nor can it gain one", NULL},
	{"init-seccomp",      "pid 1 has a filter of its own", NULL},
	{"cgroup",            "its processes are in a control group of its own", layers_group},
	{"memory",            "memory is limited, swap included", layers_memory},
	{"socket-memory",     "so are the buffers of sockets", layers_memory},
	{"socket-count",      "and so is how many there are", layers_memory},
	{"pids",              "processes are limited", layers_pids},
	{"cpu",               "CPUs are limited", layers_cpu},
	{"cpu-time",          "CPU time is limited", layers_cpu_time},
	{"output",            "output is limited", NULL},
	{"deadline",          "--timeout ends what ignores every signal", NULL},
	{"interrupt",         "SIGINT (Ctrl-C), SIGTERM and SIGHUP end everything", NULL},
	{"kill",              "nothing outlives a glovebox, or a pid 1, that is killed", NULL},
	{"warm",              "the same in a cell of a warm Python, and of its neighbour it has nothing", layers_group},
	{"residue",           "no process, control group, mount, file or lock is left", NULL},
	{NULL, NULL, NULL},
};
/* clang-format on */

const struct layer *layer_find(const char *name)
{
	for (const struct layer *l = layers; l->name; l++) {
		if (!strcmp(l->name, name))
			return l;
	}
	return NULL;
}

bool layer_is_in(const struct layer *l, const char *list)
{
	size_t length = strlen(l->name);

	for (const char *p = list; (p = strstr(p, l->name)); p += length) {
		if ((p == list || p[-1] == ' ') && (p[length] == ' ' || !p[length]))
			return true;
	}
	return false;
}
