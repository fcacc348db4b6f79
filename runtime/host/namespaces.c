/*
 * namespaces - why the kernel refused a namespace, and what to do about it.
 */
#include "host/namespaces.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/own.h"
#include "host/chrooted.h"
#include "inside/confine.h"

#define STATUS_MAX_BYTES (64u << 10)
#define CAP_SYS_ADMIN    21

struct refusal {
	uint64_t kinds;
	int number; /* errno */
};

/* In the order in which they can be made without privilege: all others need the first. */
static const struct kind {
	uint64_t flag;
	const char *name; /* in /proc/self/ns, and in user.max_*_namespaces */
} kinds[] = {
	{CLONE_NEWUSER,   "user"  },
        {CLONE_NEWNS,     "mnt"   },
        {CLONE_NEWPID,    "pid"   },
	{CLONE_NEWIPC,    "ipc"   },
        {CLONE_NEWUTS,    "uts"   },
        {CLONE_NEWNET,    "net"   },
	{CLONE_NEWCGROUP, "cgroup"},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* -- looking ---------------------------------------------------------------------------- */

/* One of kernel.* */
static bool namespaces_sysctl_is(const char *name, const char *value)
{
	char path[128];
	char text[32];

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	return !io_peek(AT_FDCWD, path, text, sizeof(text)) && !strcmp(text, value);
}

/* A field of /proc/self/status, as a number; 0 where it cannot be read. */
static uint64_t namespaces_status_field(const char *name, int base)
{
	auto_buf struct buf text = {0};
	struct err ignored;
	const char *line;

	if (io_read_file(AT_FDCWD, "/proc/self/status", STATUS_MAX_BYTES, &text, &ignored))
		return 0;
	line = strstr(buf_string(&text), name);
	return line ? strtoull(line + strlen(name), NULL, base) : 0;
}

static bool namespaces_is_filtered(void)
{
	return namespaces_status_field("\nSeccomp:", 10) == 2;
}

static bool namespaces_may_administer(void)
{
	return namespaces_status_field("\nCapEff:", 16) >> CAP_SYS_ADMIN & 1;
}

/* Whether a map of user_namespaces(7) contains this id. True if it cannot be read. */
static bool namespaces_is_mapped(const char *file, unsigned long id)
{
	auto_buf struct buf text = {0};
	struct err ignored;
	const char *p;
	char *end;

	if (io_read_file(AT_FDCWD, file, STATUS_MAX_BYTES, &text, &ignored))
		return true;
	for (p = buf_string(&text); *p;
	     p = end + strcspn(end, "\n") + (strchr(end, '\n') != NULL)) {
		unsigned long first = strtoul(p, &end, 10);
		unsigned long count;

		strtoul(end, &end, 10);
		count = strtoul(end, &end, 10);
		if (id >= first && id - first < count)
			return true;
	}
	return false;
}

/* Runs: a child. Its exit status is the number of the kind that it could not make, plus 1. */
static _Noreturn void namespaces_make_each(uint64_t wanted)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (wanted & kinds[i].flag && unshare((int)kinds[i].flag))
			_exit((int)i + 1);
	}
	_exit(0);
}

/* Like fork(), but without an exit signal, so that no SIGCHLD handler is disturbed. */
static pid_t namespaces_quiet_fork(uint64_t flags)
{
	struct clone_args args = {.flags = flags};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static int namespaces_quiet_wait(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* The kind that cannot be made; NULL: all can be made by now. */
static const struct kind *namespaces_find_missing(uint64_t wanted)
{
	pid_t pid = namespaces_quiet_fork(0);
	int which = 0;

	if (pid == 0)
		namespaces_make_each(wanted);
	if (pid > 0)
		which = namespaces_quiet_wait(pid);
	return which >= 1 && which <= (int)KINDS ? &kinds[which - 1] : NULL;
}

static bool namespaces_is_denied(const struct refusal *r)
{
	return r->number == EPERM || r->number == EACCES;
}

/* -- the causes, each with its remedy ----------------------------------------------------- */

static void namespaces_describe_limit(const struct kind *kind, struct buf *out)
{
	char value[32] = "unknown";
	char path[64];

	snprintf(path, sizeof(path), "/proc/sys/user/max_%s_namespaces", kind->name);
	(void)!io_peek(AT_FDCWD, path, value, sizeof(value));
	if (!strcmp(value, "0"))
		buf_printf(out,
			   "user.max_%s_namespaces is 0: \"sysctl -w "
			   "user.max_%s_namespaces=10000\" as root",
			   kind->name, kind->name);
	else
		buf_printf(out,
			   "no more %s namespaces: this user has as many as "
			   "user.max_%s_namespaces allows (%s here, perhaps fewer outside of this "
			   "container), or 32 are nested: end some, or raise it, \"sysctl -w\"",
			   kind->name, kind->name, value);
}

static bool namespaces_is_limit(const struct refusal *r, struct buf *out)
{
	const struct kind *kind;

	if (r->number != ENOSPC)
		return false;
	kind = namespaces_find_missing(r->kinds);
	if (kind)
		namespaces_describe_limit(kind, out);
	else
		buf_text(out,
			 "there were too many for a moment, or fs.mount-max is reached: try "
			 "again, or raise it, \"sysctl -w\"");
	return true;
}

static bool namespaces_is_without(const struct refusal *r, struct buf *out)
{
	if (r->number != EINVAL || access("/proc/self/ns", F_OK))
		return false;
	for (size_t i = 0; i < KINDS; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/proc/self/ns/%s", kinds[i].name);
		if (!(r->kinds & kinds[i].flag) || !access(path, F_OK))
			continue;
		buf_printf(out,
			   "this kernel has no %s namespaces: boot one with CONFIG_NAMESPACES and "
			   "all below it, as Debian's",
			   kinds[i].name);
		return true;
	}
	return false;
}

static bool namespaces_is_chroot(const struct refusal *r, struct buf *out)
{
	if (r->number != EPERM || !(r->kinds & CLONE_NEWUSER) || !is_chrooted())
		return false;
	buf_text(out,
		 "the kernel gives no user namespace to a process in a chroot "
		 "(user_namespaces(7)): enter that root with pivot_root(8) in \"unshare "
		 "--mount\" or with systemd-nspawn, or run outside of it");
	return true;
}

static bool namespaces_is_nobody(const struct refusal *r, struct buf *out)
{
	if (r->number != EPERM || !(r->kinds & CLONE_NEWUSER))
		return false;
	if (namespaces_is_mapped("/proc/self/uid_map", geteuid()) &&
	    namespaces_is_mapped("/proc/self/gid_map", getegid()))
		return false;
	buf_text(out,
		 "this process's user or group has no id in its user namespace "
		 "(/proc/self/uid_map, gid_map): map it, or run as one that is mapped");
	return true;
}

static bool namespaces_is_switched_off(const struct refusal *r, struct buf *out)
{
	if (!namespaces_is_denied(r) || namespaces_may_administer() ||
	    !namespaces_sysctl_is("unprivileged_userns_clone", "0"))
		return false;
	buf_text(out,
		 "kernel.unprivileged_userns_clone is 0: \"sysctl -w "
		 "kernel.unprivileged_userns_clone=1\" as root, or run as root");
	return true;
}

static bool namespaces_is_apparmor(const struct refusal *r, struct buf *out)
{
	if (!namespaces_is_denied(r) || namespaces_may_administer() ||
	    !namespaces_sysctl_is("apparmor_restrict_unprivileged_userns", "1"))
		return false;
	buf_text(out,
		 "AppArmor restricts it (Ubuntu): \"sysctl -w "
		 "kernel.apparmor_restrict_unprivileged_userns=0\" as root, or give this "
		 "program a profile with \"userns,\" in /etc/apparmor.d");
	return true;
}

/* Without a user namespace of its own, a call needs rights over the one that we are in. */
static bool namespaces_is_powerless(const struct refusal *r, struct buf *out)
{
	if (r->number != EPERM || r->kinds & CLONE_NEWUSER || namespaces_may_administer())
		return false;
	buf_text(out,
		 "CAP_SYS_ADMIN is missing: give it to the container (--cap-add SYS_ADMIN), "
		 "run as an ordinary user, or on the host");
	return true;
}

static bool namespaces_is_filter(const struct refusal *r, struct buf *out)
{
	if (!(namespaces_is_denied(r) || r->number == ENOSYS) || !namespaces_is_filtered())
		return false;
	buf_text(out,
		 "a system call filter refuses it: run the container with --security-opt "
		 "seccomp=unconfined and --security-opt systempaths=unconfined, or run on "
		 "the host");
	return true;
}

/* clone3(2) came with Linux 5.3; an emulated kernel may lack it. */
static bool namespaces_is_old(const struct refusal *r, struct buf *out)
{
	if (r->number != ENOSYS)
		return false;
	buf_text(out, "this kernel has no clone3(2): Linux 5.12 or newer is needed");
	return true;
}

static bool namespaces_is_unknown(const struct refusal *r, struct buf *out)
{
	if (!namespaces_is_denied(r))
		return false;
	buf_printf(out,
		   "%s, and no chroot, sysctl, filter or missing right is seen here: a security "
		   "module may be why (its messages: dmesg), or what contains this process; run "
		   "on the host",
		   strerror(r->number));
	return true;
}

/* The first true cause is reported; the order is that of the kernel's own checks. */
static bool (*const causes[])(const struct refusal *r, struct buf *out) = {
	namespaces_is_limit,     namespaces_is_without,      namespaces_is_chroot,
	namespaces_is_nobody,    namespaces_is_switched_off, namespaces_is_apparmor,
	namespaces_is_powerless, namespaces_is_filter,       namespaces_is_old,
	namespaces_is_unknown,
};

int namespaces_refused(uint64_t wanted, const char *what, struct err *e)
{
	struct refusal r = {wanted, errno};
	auto_buf struct buf cause = {0};

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		if (causes[i](&r, &cause))
			return err_set(e, ERR_UNSUPPORTED, "%s: %s", what, buf_string(&cause));
	}
	errno = r.number;
	return err_sys(e, "%s", what);
}

int namespaces_no_clone(const char *path, struct err *e)
{
	char what[256];

	snprintf(what, sizeof(what), "clone the mount of %.200s", path);
	return errno == ENOSPC ? namespaces_refused(CLONE_NEWNS, what, e) : err_sys(e, "%s", what);
}

void namespaces_explain(struct err *e)
{
	const uint64_t wanted = e->namespaces & (CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWCGROUP);
	char what[sizeof(e->text)];

	if (!wanted)
		return;
	memcpy(what, e->text, sizeof(what));
	errno = e->number;
	namespaces_refused(wanted, what, e);
}

/* AppArmor lets an unprivileged process make one, and takes away all rights over it. */
static int namespaces_use(uint64_t made)
{
	if (made & CLONE_NEWNS && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return errno;
	return 0;
}

int namespaces_try(uint64_t wanted)
{
	pid_t pid = namespaces_quiet_fork(wanted);

	if (pid == 0)
		_exit(namespaces_use(wanted));
	if (pid < 0)
		return -1;
	errno = namespaces_quiet_wait(pid);
	return errno ? -1 : 0;
}
