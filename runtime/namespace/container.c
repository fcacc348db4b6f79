/*
 * container - detect what confines this process, and name the flags with which sandboxes work here.
 */
#include "namespace/container.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/own.h"
#include "cgroup/cgroup_try.h"
#include "host/mount_table.h"
#include "namespace/fresh_proc.h"

#define STATUS_MAX_BYTES (64u << 10)
#define CAP_SYS_ADMIN    21

/* The machine's first namespaces have fixed numbers (include/uapi/linux/nsfs.h since Linux 6.18).
 */
#define FIRST_USER   0xeffffffdu
#define FIRST_PID    0xeffffffcu
#define FIRST_CGROUP 0xeffffffbu

/* A field of /proc/self/status, as a number. */
static uint64_t container_status_field(const char *name, int base, uint64_t unknown)
{
	auto_buf struct buf text = {0};
	struct err ignored;
	const char *line;

	if (io_read_file(AT_FDCWD, "/proc/self/status", STATUS_MAX_BYTES, &text, &ignored))
		return unknown;
	line = strstr(buf_string(&text), name);
	return line ? strtoull(line + strlen(name), NULL, base) : unknown;
}

bool container_is_filtered(void)
{
	return container_status_field("\nSeccomp:", 10, 0) == 2;
}

bool container_may_administer(void)
{
	return container_status_field("\nCapEff:", 16, 0) >> CAP_SYS_ADMIN & 1;
}

static bool container_is_other(const char *path, unsigned first)
{
	struct stat st;

	return !stat(path, &st) && st.st_ino != first;
}

/*
 * A process whose root is outside of every mount namespace sees an empty mount table
 * (inside/hide_mounts.c).
 */
static bool container_lists_no_mounts(void)
{
	auto_mount_table struct mount_table table = {0};
	struct err ignored;
	auto_fd int fd = mount_table_open(&ignored);

	return fd >= 0 && !mount_table_read(fd, &table, &ignored) && !table.count;
}

/*
 * AppArmor writes "docker-default (enforce)" there, or "unconfined"; SELinux
 * "user:role:type:level". On the host every program can have a profile: only those of container
 * runtimes count.
 */
static void container_find_module(struct container *c)
{
	char text[sizeof(c->selinux)] = "";
	char *mode;

	if (io_peek(AT_FDCWD, "/proc/self/attr/current", text, sizeof(text)))
		return;
	mode = strstr(text, " (enforce)");
	if (mode && strcspn(text, " (") < sizeof(c->apparmor)) {
		*mode = '\0';
		memcpy(c->apparmor, text, strcspn(text, " (") + 1);
	} else if (strstr(text, ":container_t:")) {
		memcpy(c->selinux, text, sizeof(text));
	}
}

void container_look(struct container *out)
{
	*out = (struct container){
		.own_user_ns = container_is_other("/proc/self/ns/user", FIRST_USER),
		.own_pid_ns = container_is_other("/proc/self/ns/pid", FIRST_PID),
		.own_cgroup_ns = container_is_other("/proc/self/ns/cgroup", FIRST_CGROUP),
		.is_sandbox = container_lists_no_mounts(),
		.is_filtered = container_is_filtered(),
		.lacks_rights =
			!(container_status_field("\nCapBnd:", 16, UINT64_MAX) >> CAP_SYS_ADMIN & 1),
		.groups_are_read_only = cgroup_is_read_only(CGROUP_MEMORY),
		.covers = fresh_proc_covers(NULL),
	};
	container_find_module(out);
}

bool container_is_one(const struct container *c)
{
	return c->own_user_ns || c->own_pid_ns || c->own_cgroup_ns || (c->is_filtered && c->covers);
}

static void container_add(struct buf *out, bool seen, const char *words)
{
	if (seen)
		buf_printf(out, "%s%s", out->length ? ", " : "", words);
}

void container_describe(const struct container *c, struct buf *out)
{
	container_add(out, c->own_user_ns, "a user namespace");
	container_add(out, c->own_pid_ns, "a pid namespace");
	container_add(out, c->own_cgroup_ns, "a cgroup namespace");
	container_add(out, c->is_sandbox, "no mount table");
	container_add(out, c->is_filtered, "a system call filter");
	container_add(out, c->covers, "mounts over /proc");
	container_add(out, c->lacks_rights, "no CAP_SYS_ADMIN");
	container_add(out, c->groups_are_read_only, "control groups read-only");
	container_add(out, *c->apparmor, "AppArmor's profile ");
	buf_text(out, c->apparmor);
	container_add(out, *c->selinux, "SELinux's ");
	buf_text(out, c->selinux);
}

/* -- the flags ---------------------------------------------------------------------------- */

static bool container_has_filter(const struct container *c)
{
	return c->is_filtered;
}

static bool container_has_covers(const struct container *c)
{
	return c->covers;
}

static bool container_has_apparmor(const struct container *c)
{
	return *c->apparmor;
}

static bool container_has_selinux(const struct container *c)
{
	return *c->selinux;
}

/* An ordinary user needs no rights. */
static bool container_has_weak_root(const struct container *c)
{
	return c->lacks_rights && !geteuid();
}

static bool container_has_no_groups(const struct container *c)
{
	return c->groups_are_read_only;
}

enum { DOCKER, PODMAN, KUBERNETES, RUNTIMES };

/* docs/hosts.md lists them with their versions. */
static const struct {
	bool (*is_missing)(const struct container *c);
	bool for_limits;
	const char *words[RUNTIMES];
} flags[] = {
	{container_has_filter,
	 false,			  {"seccomp=unconfined", "seccomp=unconfined", "seccompProfile: Unconfined"}        },
	{container_has_covers,
	 false,			  {"systempaths=unconfined", "unmask=ALL", "procMount: Unmasked"}                   },
	{container_has_apparmor,
	 false,			  {"apparmor=unconfined", "apparmor=unconfined", "appArmorProfile: Unconfined"}     },
	{container_has_selinux,   false, {"label=disable", "label=disable", "seLinuxOptions: spc_t"}                       },
	{container_has_no_groups,
	 true,			   {"writable-cgroups=true", "unmask=/sys/fs/cgroup", "containerd's cgroup_writable"}},
};

static void container_flags_of(const struct container *c, unsigned runtime, bool with_groups,
			       struct buf *out)
{
	const char *separator = runtime == KUBERNETES ? ", " : " --security-opt ";
	bool first = runtime == KUBERNETES;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (!flags[i].is_missing(c) || (flags[i].for_limits && !with_groups))
			continue;
		buf_printf(out, "%s%s", first ? " " : separator, flags[i].words[runtime]);
		first = false;
	}
	if (container_has_weak_root(c) && runtime == KUBERNETES)
		buf_printf(out, "%s%s", first ? " " : separator,
			   with_groups ? "capabilities: add: [SYS_ADMIN]" : "runAsUser: 1000");
	else if (container_has_weak_root(c))
		buf_text(out, with_groups ? " --cap-add SYS_ADMIN" : " --user 1000");
}

void container_flags(const struct container *c, struct buf *out)
{
	static const char *const names[RUNTIMES] = {"docker run", "; podman run", "; Kubernetes:"};
	auto_buf struct buf docker = {0};

	container_flags_of(c, DOCKER, true, &docker);
	for (unsigned i = 0; i < RUNTIMES && docker.length && container_is_one(c); i++) {
		buf_text(out, names[i]);
		container_flags_of(c, i, true, out);
	}
}

void container_advise(struct buf *out)
{
	auto_buf struct buf docker = {0};
	struct container c;

	container_look(&c);
	container_flags_of(&c, DOCKER, false, &docker);
	if (container_is_one(&c) && docker.length)
		buf_printf(out,
			   "run the container with%s (other runtimes: glovebox doctor), or run on "
			   "the host",
			   buf_string(&docker));
	else
		buf_text(out, "run outside of what did that, say a service of systemd's");
}
