/*
 * privileges - keep the capabilities that a command needs as root, and give up the rest.
 */
#include "base/privileges.h"

#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAP(name) (UINT64_C(1) << CAP_##name)

/* clang-format off */
#define NONE    UINT64_C(0)
#define READ    CAP(DAC_READ_SEARCH)
#define WRITE   (READ | CAP(DAC_OVERRIDE) | CAP(FOWNER))
#define FILES   (READ | CAP(DAC_OVERRIDE) | CAP(FOWNER) | CAP(CHOWN))
#define IDS     (CAP(SETUID) | CAP(SETGID) | CAP(KILL))
#define COLLECT (FILES | IDS)
#define LOOK    CAP(SYS_PTRACE)
#define TUNE    (CAP(SYS_NICE) | CAP(SYS_RESOURCE))
#define SANDBOX (COLLECT | TUNE | CAP(SYS_ADMIN) | CAP(SYS_CHROOT) | LOOK)
#define PORTS   CAP(NET_BIND_SERVICE) /* -p of a port below 1024 */
#define PUBLISH (SANDBOX | PORTS)
#define QUOTA   CAP(SYS_ADMIN)
#define ALL     UINT64_MAX
/* clang-format on */

/*
 * The capabilities that an executed program could regain: the kernel gives root all of the bounding
 * set again.
 */
enum executed {
	EXECUTED_ROOT,    /* everything root has */
	EXECUTED_BOUNDED, /* the kept ones: drop the others from the bounding set, 1 us each */
	EXECUTED_SAME,    /* the same by no_new_privs, which children, and so sandboxes, inherit */
};

struct privileges {
	const char *command;
	const char *moment;
	uint64_t kept;
	enum executed executed;
};

/* The first matching row counts. tests/attack/privileges_table.py reads it as text. */
/* clang-format off */
static const struct privileges table[] = {
	{"run",                 "arguments", PUBLISH, EXECUTED_ROOT},
	{"run",                 "running",   NONE,    EXECUTED_SAME},
	{"run",                 "collects",  COLLECT, EXECUTED_SAME},
	{"create",              "arguments", SANDBOX, EXECUTED_ROOT},
	{"ps",                  "arguments", NONE,    EXECUTED_SAME},
	{"kill",                "arguments", NONE,    EXECUTED_SAME},
	{"stop",                "arguments", NONE,    EXECUTED_SAME},
	{"exec",                "arguments", READ,    EXECUTED_SAME},
	{"logs",                "arguments", NONE,    EXECUTED_SAME},
	{"attach",              "arguments", NONE,    EXECUTED_SAME},
	{"start",               "arguments", PUBLISH, EXECUTED_ROOT},
	{"restart",             "arguments", PUBLISH, EXECUTED_ROOT},
	{"cp",                  "arguments", SANDBOX, EXECUTED_ROOT},
	{"cp",                  "copies",    WRITE,   EXECUTED_SAME},
	{"watch",               "arguments", READ,    EXECUTED_SAME},
	{"usage",               "arguments", SANDBOX, EXECUTED_ROOT},
	{"usage",               "counts",    NONE,    EXECUTED_SAME},
	{"diff",                "arguments", SANDBOX, EXECUTED_ROOT},
	{"export",              "arguments", SANDBOX, EXECUTED_ROOT},
	{"commit",              "arguments", SANDBOX, EXECUTED_ROOT},
	{"port",                "arguments", NONE,    EXECUTED_SAME},
	{"stats",               "arguments", NONE,    EXECUTED_SAME},
	{"top",                 "arguments", NONE,    EXECUTED_SAME},
	{"update",              "arguments", READ | PORTS, EXECUTED_SAME},
	{"pause",               "arguments", NONE,    EXECUTED_SAME},
	{"hibernate",           "arguments", NONE,    EXECUTED_SAME},
	{"rename",              "arguments", NONE,    EXECUTED_SAME},
	{"events",              "arguments", NONE,    EXECUTED_SAME},
	{"unpause",             "arguments", NONE,    EXECUTED_SAME},
	{"wait",                "arguments", NONE,    EXECUTED_SAME},
	{"rm",                  "arguments", NONE,    EXECUTED_SAME},
	{"inspect",             "arguments", READ,    EXECUTED_SAME},
	{"prune",               "arguments", NONE,    EXECUTED_SAME},
	{"volume create",       "arguments", QUOTA,   EXECUTED_SAME},
	{"volume ls",           "arguments", NONE,    EXECUTED_SAME},
	{"volume inspect",      "arguments", NONE,    EXECUTED_SAME},
	{"volume rm",           "arguments", WRITE | QUOTA, EXECUTED_SAME},
	{"volume prune",        "arguments", WRITE | QUOTA, EXECUTED_SAME},
	{"warm start",          "arguments", SANDBOX, EXECUTED_BOUNDED},
	{"warm serve",          "arguments", SANDBOX, EXECUTED_BOUNDED},
	{"warm status",         "arguments", NONE,    EXECUTED_SAME},
	{"warm stop",           "arguments", NONE,    EXECUTED_SAME},
	{"session new",         "arguments", PUBLISH, EXECUTED_SAME},
	{"session exec",        "arguments", FILES,   EXECUTED_SAME},
	{"session repl",        "arguments", PUBLISH, EXECUTED_BOUNDED},
	{"session ls",          "arguments", NONE,    EXECUTED_SAME},
	{"session rm",          "arguments", NONE,    EXECUTED_SAME},
	{"session files",       "arguments", COLLECT, EXECUTED_SAME},
	{"session put",         "arguments", COLLECT, EXECUTED_SAME},
	{"session get",         "arguments", COLLECT, EXECUTED_SAME},
	{"session delete",      "arguments", COLLECT, EXECUTED_SAME},
	{"session checkpoint",  "arguments", NONE,    EXECUTED_SAME},
	{"session checkpoints", "arguments", NONE,    EXECUTED_SAME},
	{"session rollback",    "arguments", LOOK,    EXECUTED_SAME},
	{"session egress",      "arguments", READ,    EXECUTED_SAME},
	{"session freeze",      "arguments", NONE,    EXECUTED_SAME},
	{"session thaw",        "arguments", NONE,    EXECUTED_SAME},
	{"agent",               "arguments", PUBLISH, EXECUTED_BOUNDED},
	{"engine",              "arguments", NONE,    EXECUTED_ROOT},
	{"serve key",           "arguments", FILES,   EXECUTED_SAME},
	{"serve",               "arguments", SANDBOX, EXECUTED_BOUNDED},
	{"mcp",                 "arguments", SANDBOX, EXECUTED_BOUNDED},
	{"kernel install",      "arguments", NONE,    EXECUTED_SAME},
	{"kernel",              "arguments", PUBLISH, EXECUTED_BOUNDED},
	{"image build",         "arguments", SANDBOX, EXECUTED_BOUNDED},
	{"image import",        "arguments", FILES,   EXECUTED_SAME},
	{"image load",          "arguments", FILES,   EXECUTED_SAME},
	{"image pull",          "arguments", COLLECT, EXECUTED_BOUNDED},
	{"image save",          "arguments", FILES,   EXECUTED_SAME},
	{"image share",         "arguments", FILES,   EXECUTED_SAME},
	{"image tag",           "arguments", FILES,   EXECUTED_SAME},
	{"image rm",            "arguments", FILES,   EXECUTED_SAME},
	{"image prune",         "arguments", FILES,   EXECUTED_SAME},
	{"image df",            "arguments", FILES,   EXECUTED_SAME},
	{"image verify",        "arguments", READ,    EXECUTED_SAME},
	{"image ls",            "arguments", READ,    EXECUTED_SAME},
	{"image inspect",       "arguments", READ,    EXECUTED_SAME},
	{"images",              "arguments", READ,    EXECUTED_SAME},
	{"pull",                "arguments", COLLECT, EXECUTED_BOUNDED},
	{"info",                "arguments", READ,    EXECUTED_SAME},
	{"doctor",              "arguments", SANDBOX, EXECUTED_BOUNDED},
	{"selftest",            "arguments", SANDBOX, EXECUTED_BOUNDED},
	{"setup",               "arguments", ALL,     EXECUTED_ROOT},
	{"generate",            "arguments", READ,    EXECUTED_SAME},
	{"help",                "arguments", NONE,    EXECUTED_SAME},
	{"version",             "arguments", NONE,    EXECUTED_SAME},
};
/* clang-format on */

static const struct privileges *privileges_find(const char *command, const char *moment)
{
	static const struct privileges nothing = {NULL, NULL, NONE, EXECUTED_SAME};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		size_t n = strlen(table[i].command);

		if (!strncmp(command, table[i].command, n) && strchr(" ", command[n]) &&
		    !strcmp(moment, table[i].moment))
			return &table[i];
	}
	return &nothing;
}

/* EINVAL: this kernel has no further capabilities. */
static int privileges_bound(uint64_t kept, struct err *e)
{
	for (int cap = 0; cap < 64; cap++) {
		if (kept >> cap & 1 || !prctl(PR_CAPBSET_DROP, cap))
			continue;
		return errno == EINVAL ? 0 : err_sys(e, "bound the capabilities of programs");
	}
	return 0;
}

/* In the testing build: stop where a test inspects us. */
static void privileges_stop(const char *moment)
{
#ifdef GLOVEBOX_TESTING
	const char *at = getenv("GLOVEBOX_STOP_AT");

	if (at && !strcmp(at, moment))
		raise(SIGSTOP);
#else
	(void)moment;
#endif
}

/* Without CAP_SETPCAP leave the bounding set: the process that dropped it has decided. */
static int privileges_reduce(const struct privileges *p, struct __user_cap_header_struct *header,
			     struct __user_cap_data_struct data[2], struct err *e)
{
	if (p->executed == EXECUTED_BOUNDED && data[0].effective & CAP(SETPCAP) &&
	    privileges_bound(p->kept, e))
		return -1;
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(p->kept >> (32 * i));
		data[i].effective &= data[i].permitted;
		data[i].inheritable = 0; /* clears the ambient set, too */
	}
	if (syscall(SYS_capset, header, data))
		return err_sys(e, "give up capabilities");
	if (p->executed == EXECUTED_SAME && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return err_sys(e, "set no_new_privs");
	return 0;
}

int privileges_keep(const char *command, const char *moment, struct err *e)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}, {0}};

	if (syscall(SYS_capget, &header, data))
		return err_sys(e, "read our capabilities");
	if ((data[0].permitted | data[1].permitted) &&
	    privileges_reduce(privileges_find(command, moment), &header, data, e))
		return -1;
	privileges_stop(moment);
	return 0;
}
