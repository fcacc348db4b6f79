/*
 * confine - the ordered lists of steps that confine a sandbox.
 *
 * To review the confinement, read these lists top to bottom. cell_birth.c has what a cell does
 * before its first list. policy/README.md names the test of each row.
 */
#include "inside/confine.h"

#include "inside/sys.h"

/* clang-format off */
/*
 * Up to "admission" pid 1 needs nothing from the monitor, which makes the cgroups meanwhile: with
 * two CPUs the network namespace costs no time.
 */
const struct step init_steps[] = {
	/* name            apply                      needs                   leaves */
	{"parent-death",   confine_parent_death,      "-",                    "dies when the monitor dies"},
	{"net-ns",         confine_net_ns,            "SYS_ADMIN",            "no network except what follows"},
	{"loopback",       confine_loopback,          "NET_ADMIN",            "127.0.0.1 and ::1, nothing else"},
	{"priority",       confine_priority,          "-",                    "normal scheduling, first to go when memory is short"},
	{"session",        confine_session,           "-",                    "no controlling terminal, own process group"},
	{"keyring",        confine_keyring,           "-",                    "the caller's keys are out of reach"},
	{"umask",          confine_umask,             "-",                    "umask 022, no personality"},
	{"hostname",       confine_hostname,          "SYS_ADMIN",            "own host and domain name"},
	{"admission",      confine_admission,         "-",                    "ids are mapped; memory, pids and CPU are limited"},
	{"ids",            confine_ids,               "SETUID SETGID",        "final uid and gid, no supplementary group"},
	{"parent-death",   confine_parent_death,      "-",                    "again: a change of ids clears it"},
	{"init-dumpable",  confine_init_dumpable,     "-",                    "/proc/1 shows and gives nothing"},
	{"cgroup-ns",      confine_cgroup_ns,         "SYS_ADMIN",            "the host's cgroup paths are invisible"},
	{"root",           confine_root,              "SYS_ADMIN",            "read-only root, no set-uid, no devices; the host's is gone"},
	{"hide-mounts",    confine_hide_mounts,       "SYS_ADMIN SYS_CHROOT", "mount tables are empty"},
	{"egress",         confine_egress,            "NET_BIND_SERVICE",    "with --egress or -p: one process outside holds sockets of this network"},
	{"bounding",       confine_bounding,          "SETPCAP",              "no capability can ever be regained by exec"},
	{"terminal",       confine_terminal,          "-",                    "with -t: a pty made inside"},
	{NULL, NULL, NULL, NULL},
};

const struct step program_steps[] = {
	{"session",        confine_session,           "-",                    "a session and process group of the program's own"},
	{"stdio",          confine_stdio,             "-",                    "stdin, stdout, stderr are pipes of ours or a pty made inside"},
	{"close-fds",      confine_close_fds,         "-",                    "no other descriptor but the control socket, until exec"},
	{"signals",        confine_signals,           "-",                    "default dispositions, empty mask"},
	{"rlimits",        confine_rlimits,           "-",                    "no core dumps; bounded files, timers and signals"},
	{"workdir",        confine_workdir,           "-",                    "current directory inside"},
	{"caps",           confine_caps,              "-",                    "no capability in any of the five sets, ever again"},
	{"no-new-privs",   confine_no_new_privs,      "-",                    "set-uid programs are inert"},
	{"landlock",       confine_landlock,          "-",                    "a second wall: writes only where they are meant to go"},
	{"seccomp",        confine_seccomp,           "-",                    "only allowed calls, of one ABI; must be last"},
	{NULL, NULL, NULL, NULL},
};

const struct step reaper_steps[] = {
	{"init-dumpable",  confine_init_dumpable,     "-",                    "/proc/1 shows and gives nothing"},
	{"init-close-fds", confine_init_close_fds,    "-",                    "pid 1 holds the control socket and the root, nothing else"},
	{"init-caps",      confine_caps,              "-",                    "pid 1 has no capability either"},
	{"init-no-new-privs", confine_no_new_privs,   "-",                    "nor can it gain one"},
	{"init-seccomp",   confine_init_seccomp,      "-",                    "pid 1 can wait, signal and report; must be last"},
	{NULL, NULL, NULL, NULL},
};

/*
 * Pid 1 of a sandbox that stays. What it starts inherits all of this, so pid 1 can never do more than
 * the foreign code that runs beside it. Its other limits are the monitor's: with a program's few open files
 * it could not receive the next one's descriptors, and the CPU time of all would end it.
 */
const struct step door_steps[] = {
	{"init-dumpable",  confine_init_dumpable,     "-",                    "/proc/1 shows and gives nothing"},
	{"init-close-fds", confine_init_close_fds,    "-",                    "pid 1 holds the control socket and the root, nothing else"},
	{"init-rlimits",   confine_core_limit,        "-",                    "no core dumps"},
	{"init-caps",      confine_caps,              "-",                    "no capability in any of the five sets, ever again"},
	{"init-no-new-privs", confine_no_new_privs,   "-",                    "set-uid programs are inert"},
	{"init-landlock",  confine_landlock,          "-",                    "a second wall: writes only where they are meant to go"},
	{"init-seccomp",   confine_seccomp,           "-",                    "only allowed calls, of one ABI: the program's filter; must be last"},
	{NULL, NULL, NULL, NULL},
};

/* A program behind the door: forked by pid 1, whose confinement it has. */
const struct step exec_steps[] = {
	{"session",        confine_session,           "-",                    "a session and process group of the program's own"},
	{"stdio",          confine_stdio,             "-",                    "stdin, stdout, stderr are pipes of ours or a pty made inside"},
	{"close-fds",      confine_close_fds,         "-",                    "no other descriptor but its report socket, until exec"},
	{"signals",        confine_signals,           "-",                    "default dispositions, empty mask"},
	{"rlimits",        confine_rlimits,           "-",                    "bounded files, timers and signals"},
	{"workdir",        confine_workdir,           "-",                    "current directory inside"},
	{NULL, NULL, NULL, NULL},
};

/*
 * A nursery keeps the capabilities to make cells, over its own namespaces; it runs our code only.
 */
const struct step nursery_steps[] = {
	{"session",        confine_session,           "-",                    "a session and process group of its own"},
	{"stdio",          confine_stdio,             "-",                    "its streams are pipes of ours, descriptor 3 is the supervisor"},
	{"close-fds",      confine_close_fds,         "-",                    "no other descriptor"},
	{"signals",        confine_signals,           "-",                    "default dispositions, empty mask"},
	{"rlimits",        confine_rlimits,           "-",                    "no core dumps"},
	{"workdir",        confine_workdir,           "-",                    "current directory inside"},
	{"nursery-caps",   confine_nursery_caps,      "SETPCAP",              "capabilities to make namespaces and mounts, none of them outside"},
	{"no-new-privs",   confine_no_new_privs,      "-",                    "set-uid programs are inert"},
	{"seccomp",        confine_seccomp,           "-",                    "only allowed calls, of one ABI; must be last"},
	{NULL, NULL, NULL, NULL},
};

/* The intermediate process of a cell (cell_birth.c), still in the nursery's root. */
const struct step intermediate_steps[] = {
	{"priority",       confine_priority,          "-",                    "normal scheduling, first to go when memory is short"},
	{NULL, NULL, NULL, NULL},
};

/*
 * Pid 1 of a cell, in its namespaces. It gets no keyring of its own: a user may have 200 keys
 * (keyrings(7)), which would limit the number of cells. Cells share the nursery's keyring, which is
 * empty and closed by the filter.
 */
const struct step cell_init_steps[] = {
	{"net-ns",         confine_net_ns,            "SYS_ADMIN",            "no network except what follows"},
	{"loopback",       confine_loopback,          "NET_ADMIN",            "127.0.0.1 and ::1, nothing else"},
	{"session",        confine_session,           "-",                    "no controlling terminal, own process group"},
	{"signals",        confine_signals,           "-",                    "default dispositions, empty mask"},
	{"cgroup-ns",      confine_cgroup_ns,         "SYS_ADMIN",            "the host's cgroup paths are invisible"},
	{"door-cap",       confine_door_cap,          "SYS_CHROOT",           "one capability for pid 1, until its first order"},
	{"bounding",       confine_bounding,          "SETPCAP",              "no capability can ever be regained by exec"},
	{NULL, NULL, NULL, NULL},
};

/* Pid 1 of a cell, after its execve: until its first order only our code is in the cell. */
const struct step waiting_steps[] = {
	{"init-dumpable",  confine_init_dumpable,     "-",                    "/proc/1 shows and gives nothing"},
	{"init-close-fds", confine_init_close_fds,    "-",                    "pid 1 holds the control socket, nothing else"},
	{"init-no-new-privs", confine_no_new_privs,   "-",                    "set-uid programs are inert"},
	{NULL, NULL, NULL, NULL},
};

/* The first order makes it a door of a session: then door_steps. */
const struct step cell_door_steps[] = {
	{"door-root",      confine_door_root,         "SYS_CHROOT",           "the root of the session's program; the nursery's is gone"},
	{NULL, NULL, NULL, NULL},
};

/*
 * The program of a cell, once its request has come; then program_steps. The client of a session
 * waits for its root, so steps that can fail come before that.
 */
const struct step cell_steps[] = {
	{"umask",          confine_umask,             "-",                    "umask 022, no personality"},
	{"hostname",       confine_hostname,          "SYS_ADMIN",            "own host and domain name"},
	{"egress",         confine_egress,            "NET_BIND_SERVICE",    "with --egress or -p: one process outside holds sockets of this network"},
	{"root",           confine_root,              "SYS_ADMIN",            "read-only root, no set-uid, no devices; the nursery's is gone"},
	{"hide-mounts",    confine_hide_mounts,       "SYS_ADMIN SYS_CHROOT", "mount tables are empty"},
	{"terminal",       confine_terminal,          "-",                    "with -t: a pty made inside"},
	{NULL, NULL, NULL, NULL},
};
/* clang-format on */

#ifdef GLOVEBOX_TESTING
int confine_omitted(const struct inside_plan *plan, const char *name)
{
	const char *p = plan->omit;
	size_t length = sys_strlen(name);

	while (p && *p) {
		size_t i = 0;

		while (i < length && p[i] == name[i])
			i++;
		if (i == length && (p[i] == ',' || p[i] == '\0'))
			return 1;
		while (*p && *p != ',')
			p++;
		if (*p == ',')
			p++;
	}
	return 0;
}
#endif

int confine_run(const struct step *steps, const struct inside_plan *plan, struct err *e)
{
	for (const struct step *s = steps; s->name; s++) {
		if (confine_omitted(plan, s->name))
			continue;
		if (s->apply(plan, e))
			return -1;
	}
	return 0;
}
