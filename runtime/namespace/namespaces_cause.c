/*
 * namespaces_cause - find the cause of a refusal, with its remedy.
 */
#include "namespace/namespaces_cause.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "namespace/chrooted.h"
#include "namespace/container.h"
#include "namespace/namespaces.h"

/* In the order in which an unprivileged process makes them: all others need the first. */
static const struct kind {
	uint64_t flag;
	const char *name; /* its name in /proc/self/ns, and in user.max_*_namespaces */
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

/* Compare a sysctl of kernel.*. */
static bool namespaces_cause_sysctl_is(const char *name, const char *value)
{
	char path[128];
	char text[32];

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	return !io_peek(AT_FDCWD, path, text, sizeof(text)) && !strcmp(text, value);
}

/* Runs: a child. Its exit status is the index of the kind that it could not make, plus 1. */
static _Noreturn void namespaces_cause_make_each(uint64_t wanted)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (wanted & kinds[i].flag && unshare((int)kinds[i].flag))
			_exit((int)i + 1);
	}
	_exit(0);
}

/* The kind that cannot be made; NULL: by now all can be made. */
static const struct kind *namespaces_cause_find_missing(uint64_t wanted)
{
	pid_t pid = namespaces_quiet_fork(0);
	int which = 0;

	if (pid == 0)
		namespaces_cause_make_each(wanted);
	if (pid > 0)
		which = namespaces_quiet_wait(pid);
	return which >= 1 && which <= (int)KINDS ? &kinds[which - 1] : NULL;
}

static bool namespaces_cause_is_denied(const struct refusal *r)
{
	return r->number == EPERM || r->number == EACCES;
}

/* -- the causes, each with its remedy ----------------------------------------------------- */

static void namespaces_cause_describe_limit(const struct kind *kind, struct buf *out)
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

static bool namespaces_cause_is_limit(const struct refusal *r, struct buf *out)
{
	const struct kind *kind;

	if (r->number != ENOSPC)
		return false;
	kind = namespaces_cause_find_missing(r->kinds);
	if (kind)
		namespaces_cause_describe_limit(kind, out);
	else
		buf_text(out,
			 "there were too many for a moment, or fs.mount-max is reached: try "
			 "again, or raise it, \"sysctl -w\"");
	return true;
}

static bool namespaces_cause_is_without(const struct refusal *r, struct buf *out)
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

static bool namespaces_cause_is_chroot(const struct refusal *r, struct buf *out)
{
	if (r->number != EPERM || !(r->kinds & CLONE_NEWUSER) || !is_chrooted())
		return false;
	buf_text(out,
		 "the kernel gives no user namespace to a process in a chroot "
		 "(user_namespaces(7)): enter that root with pivot_root(8) in \"unshare "
		 "--mount\" or with systemd-nspawn, or run outside of it");
	return true;
}

/* Sandboxes do not nest: our own mount table and our filter both forbid it. */
bool namespaces_cause_is_in_sandbox(const struct refusal *r, struct buf *out)
{
	struct container c;

	if (!namespaces_cause_is_denied(r) && r->number != ENOSYS)
		return false;
	container_look(&c);
	if (!c.is_sandbox)
		return false;
	buf_printf(
		out,
		"no sandbox can be made in one of glovebox's (its mount table is empty), because "
		"%s: run glovebox outside of it",
		c.is_filtered              ? "a system call filter refuses it"
		: r->kinds & CLONE_NEWUSER ? "the kernel gives no user namespace to a process "
					     "whose root is not a mount "
					     "(user_namespaces(7))"
					   : "nobody there has CAP_SYS_ADMIN");
	return true;
}

static bool namespaces_cause_is_nobody(const struct refusal *r, struct buf *out)
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

/* Whether a sysctl keeps user namespaces from ordinary users. */
static bool namespaces_cause_forbids_users(const struct refusal *r, const char *sysctl,
					   const char *value)
{
	return namespaces_cause_is_denied(r) && r->kinds & CLONE_NEWUSER &&
	       !container_may_administer() && namespaces_cause_sysctl_is(sysctl, value);
}

static bool namespaces_cause_is_switched_off(const struct refusal *r, struct buf *out)
{
	if (!namespaces_cause_forbids_users(r, "unprivileged_userns_clone", "0"))
		return false;
	buf_text(out,
		 "kernel.unprivileged_userns_clone is 0: \"sysctl -w "
		 "kernel.unprivileged_userns_clone=1\" as root, or run as root");
	return true;
}

static bool namespaces_cause_is_apparmor(const struct refusal *r, struct buf *out)
{
	if (!namespaces_cause_forbids_users(r, "apparmor_restrict_unprivileged_userns", "1"))
		return false;
	buf_text(out,
		 "AppArmor restricts it (Ubuntu): as root, install our profile, "
		 "share/glovebox/apparmor.profile, as /etc/apparmor.d/glovebox and "
		 "\"apparmor_parser -r\" it, or \"sysctl -w "
		 "kernel.apparmor_restrict_unprivileged_userns=0\"");
	return true;
}

/*
 * Since Linux 6.1 an SELinux policy can refuse user namespaces; seccomp filters rarely return
 * EACCES.
 */
static bool namespaces_cause_is_selinux(const struct refusal *r, struct buf *out)
{
	char value[8];

	if (r->number != EACCES ||
	    io_peek(AT_FDCWD, "/sys/fs/selinux/enforce", value, sizeof(value)) ||
	    strcmp(value, "1") != 0)
		return false;
	buf_text(out,
		 "SELinux refuses it (\"ausearch -m avc -ts recent\" as root): add what "
		 "audit2allow prints to the policy (user_namespace create), or run where another "
		 "domain holds");
	return true;
}

/* Without a user namespace of its own, a call needs rights over the one that we are in. */
static bool namespaces_cause_is_powerless(const struct refusal *r, struct buf *out)
{
	if (r->number != EPERM || r->kinds & CLONE_NEWUSER || container_may_administer())
		return false;
	buf_text(out, "root lacks CAP_SYS_ADMIN, which an ordinary user does not need: ");
	container_advise(out);
	return true;
}

/* Docker's profile allows namespaces, but no mounts in them. */
static bool namespaces_cause_is_profile(const struct refusal *r, struct buf *out)
{
	struct container c;

	if (r->number != EACCES)
		return false;
	container_look(&c);
	if (!*c.apparmor)
		return false;
	buf_printf(out, "AppArmor's profile %s refuses it: ", c.apparmor);
	container_advise(out);
	return true;
}

bool namespaces_cause_is_filter(const struct refusal *r, struct buf *out)
{
	if (!(namespaces_cause_is_denied(r) || r->number == ENOSYS) || !container_is_filtered())
		return false;
	buf_text(out, "a system call filter refuses it: ");
	container_advise(out);
	return true;
}

/* clone3(2) came with Linux 5.3; an emulated kernel may lack it. */
static bool namespaces_cause_is_old(const struct refusal *r, struct buf *out)
{
	if (r->number != ENOSYS)
		return false;
	buf_text(out, "this kernel has no clone3(2): Linux 5.12 or newer is needed");
	return true;
}

static bool namespaces_cause_is_unknown(const struct refusal *r, struct buf *out)
{
	if (!namespaces_cause_is_denied(r))
		return false;
	buf_printf(out,
		   "%s, and no chroot, sysctl, filter or missing right is seen here: a security "
		   "module may be why (its messages: dmesg), or what contains this process; run "
		   "on the host",
		   strerror(r->number));
	return true;
}

/* Report the first true cause, in the order of the kernel's own checks. */
static bool (*const causes[])(const struct refusal *r, struct buf *out) = {
	namespaces_cause_is_limit,    namespaces_cause_is_without, namespaces_cause_is_in_sandbox,
	namespaces_cause_is_chroot,   namespaces_cause_is_nobody,  namespaces_cause_is_switched_off,
	namespaces_cause_is_apparmor, namespaces_cause_is_selinux, namespaces_cause_is_powerless,
	namespaces_cause_is_profile,  namespaces_cause_is_filter,  namespaces_cause_is_old,
	namespaces_cause_is_unknown,
};

bool namespaces_cause_find(const struct refusal *r, struct buf *out)
{
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		if (causes[i](r, out))
			return true;
	}
	return false;
}
