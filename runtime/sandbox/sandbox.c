/*
 * sandbox - one run from spec to verdict.
 */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/landlock_abi.h"
#include "base/own.h"
#include "base/random.h"
#include "cgroup/cgroup_update.h"
#include "host/core_pattern.h"
#include "host/omit.h"
#include "namespace/fresh_proc.h"
#include "namespace/namespaces.h"
#include "root/tree.h"
#include "sandbox/door.h"
#include "sandbox/egress_sockets.h"
#include "sandbox/endings.h"
#include "sandbox/terminal.h"
#include "seccomp/builtin_filter.h"

#define MAX_CODE (256u << 20)

static void sandbox_make_id(char out[65])
{
	unsigned char bytes[32];

	random_bytes(bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/*
 * Python before 3.12 stops reading a source at a NUL, without an error. Only bytecode (its magic
 * number ends with CR LF) and archives (which have a record with this name) may contain one.
 */
static int sandbox_check_code(const struct buf *code, const char *name, struct err *e)
{
	const char *nul = memchr(buf_string(code), '\0', code->length);
	unsigned line = 1;

	if (!nul || (code->length > 4 && !memcmp(code->data + 2, "\r\n", 2)) ||
	    memmem(code->data, code->length, "PK\5\6", 4))
		return 0;
	for (const char *p = code->data; p < nul; p++)
		line += *p == '\n';
	return err_input(e, "%.300s has a NUL byte in line %u: it is no Python source", name, line);
}

static int sandbox_read_code(struct sandbox *s, struct err *e)
{
	const char *path = s->spec->code_file;
	const char *name = path && !strcmp(path, "-") ? "standard input" : path;
	int bad;

	if (!path)
		return 0;
	buf_add(&s->code, "", 0);
	bad = name != path ? io_read_fd(STDIN_FILENO, name, MAX_CODE, &s->code, e)
			   : io_read_file(AT_FDCWD, path, MAX_CODE, &s->code, e);
	if (bad && e->number == EISDIR)
		return err_input(
			e,
			"--code: %.200s is a directory: \"--workspace %.200s IMAGE python3 "
			"/data\" runs its __main__.py",
			path, path);
	return bad || sandbox_check_code(&s->code, name, e) ? err_prefix(e, "--code") : 0;
}

/*
 * Open a volume to list its changes, but only if it is the plan's mount and not something that took
 * its name.
 */
static int sandbox_open_mounted(const struct sandbox *s, const struct mount_spec *m)
{
	auto_fd int fd = open(m->source, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	for (size_t i = 0; i < s->root.count; i++) {
		const struct root_op *op = &s->root.ops[i];

		if (op->named && !strcmp(op->path, m->target + 1) && op->inode == st.st_ino &&
		    op->device == st.st_dev)
			return take_fd(&fd);
	}
	return -1;
}

/* /output is either staged, or a direct bind whose changes the result lists. */
static int sandbox_prepare_output(struct sandbox *s, struct err *e)
{
	for (size_t i = 0; i < s->root.mount_count; i++) {
		const struct mount_spec *m = &s->root.mounts[i];

		if (strcmp(m->target, "/output") || m->kind == MOUNT_TMPFS ||
		    s->output_use == OUTPUT_LEAVE)
			continue;
		if (m->kind == MOUNT_STAGE) {
			s->output_staged = true;
			s->output_limits = (struct stage_limits){m->size_bytes, m->inodes};
			s->output_fd = stage_open_target(m, e);
			if (s->output_fd < 0)
				return err_prefix(e, "--output");
		} else if (s->output_use == OUTPUT_LIST && !m->read_only) {
			s->output_fd = sandbox_open_mounted(s, m);
			if (s->output_fd >= 0)
				changes_look(s->output_fd, CHANGES_ENTRIES_MAX, &s->before);
		}
	}
	return 0;
}

/* Our own defaults are lowered to the caller's hard limit; an explicit --ulimit is not. */
static void sandbox_prepare_rlimits(struct sandbox *s)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		const struct rlimit_spec *wanted = &s->spec->rlimits[i];
		struct rlimit own;

		s->rlimits_set[i] = wanted->set;
		s->rlimits[i] = wanted->value;
		if (!wanted->set || !wanted->is_default || getrlimit(i, &own))
			continue;
		if (s->rlimits[i].rlim_max > own.rlim_max)
			s->rlimits[i].rlim_max = own.rlim_max;
		if (s->rlimits[i].rlim_cur > s->rlimits[i].rlim_max)
			s->rlimits[i].rlim_cur = s->rlimits[i].rlim_max;
	}
}

static int sandbox_prepare_filter(struct sandbox *s, struct err *e)
{
	unsigned short length;
	const struct sock_filter *shipped = builtin_filter(&length);
	const struct sock_fprog builtin = {length, (struct sock_filter *)shipped};

	switch (s->spec->seccomp) {
	case SECCOMP_SHIPPED:
		s->plan.filter = builtin;
		return 0;
	case SECCOMP_PROFILE:
		if (syscall_filter_from_profile(s->spec->seccomp_profile,
						strlen(s->spec->seccomp_profile), &s->profile, e))
			return err_prefix(e, "--security-opt seccomp");
		s->plan.filter = (struct sock_fprog){s->profile.length, s->profile.program};
		return 0;
	case SECCOMP_UNCONFINED:
		return 0;
	}
	return -1;
}

int landlock_abi(void)
{
	long n = syscall(LANDLOCK_CREATE, NULL, 0, 1u);

	return n > 0 ? (int)n : 0;
}

uint64_t sandbox_pids_of_ours(const struct sandbox *s, uint64_t limit)
{
	return egress_is_wanted(&s->spec->egress) && limit != SPEC_UNLIMITED;
}

static void sandbox_prepare_limits(struct sandbox *s)
{
	s->limits = s->spec->limits;
	s->limits.pids += sandbox_pids_of_ours(s, s->limits.pids);
}

int sandbox_update(struct sandbox *s, const struct limits *asked, struct err *e)
{
	struct limits next = s->limits;

	next.memory_bytes = asked->memory_bytes;
	next.swap_bytes = asked->swap_bytes;
	next.pids = asked->pids + sandbox_pids_of_ours(s, asked->pids);
	next.cpu_quota_us = asked->cpu_quota_us;
	next.cpu_period_us = asked->cpu_period_us;
	next.idle_ms = asked->idle_ms;
	if (cgroup_update(&s->cgroup, &s->limits, &next, e))
		return -1;
	s->limits = next;
	return 0;
}

static int sandbox_prepare_plan(struct sandbox *s, struct err *e)
{
	struct inside_plan *p = &s->plan;

	p->channel_fd = -1;
	p->oom_score_adj = SANDBOX_OOM_SCORE;
	p->uid = s->map.inside_uid;
	p->gid = s->map.inside_gid;
	p->may_set_groups = s->map.privileged;
	p->hostname = s->spec->hostname;
	p->stays = s->spec->stays;
	p->tty = s->spec->tty;
	if (p->tty)
		terminal_size(&p->tty_rows, &p->tty_columns);
	p->ops = s->root.ops;
	p->op_count = s->root.count;
	p->workdir = s->program.workdir;
	p->argv = s->program.argv.items;
	p->envp = s->program.env.items;
	p->search_path = s->program.search_path;
	p->rlimits = s->rlimits;
	p->rlimits_set = s->rlimits_set;
	p->landlock_abi = landlock_abi();
#ifdef GLOVEBOX_TESTING
	p->omit = getenv("GLOVEBOX_OMIT");
#endif
	egress_sockets_plan(&s->spec->egress, s->egress.inner, s->egress_ports, p);
	sandbox_prepare_rlimits(s);
	return core_pattern_check(&s->rlimits[RLIMIT_CORE], e) || sandbox_prepare_filter(s, e) ? -1
											       : 0;
}

int sandbox_open(const struct sandbox_spec *spec, struct sandbox *out, struct err *e)
{
	*out = (struct sandbox){
		.spec = spec,
		.start = sandbox_start,
		.output_fd = -1,
		.users = -1,
		.owner = -1,
		.image.root_fd = -1,
		.image.lock_fd = -1,
		.cgroup.oom_fd = -1,
		.egress = egress_none(),
	};
	sandbox_prepare_limits(out);
	sandbox_make_id(out->id);
	if (!fresh_proc_check_host(e) && !image_open(spec->image, &out->image, e) &&
	    !image_check_executable(&out->image, e) &&
	    !program_resolve(spec, &out->image, &out->program, e) && !sandbox_read_code(out, e)) {
		idmap_choose(out->program.uid, out->program.gid, &out->map);
		return 0;
	}
	sandbox_destroy(out);
	return -1;
}

int sandbox_plan(struct sandbox *s, struct err *e)
{
	const struct buf *code = s->spec->code_file ? &s->code : NULL;

	s->root.look = s->output_use == OUTPUT_LEAVE;
	s->root.is_cell = s->start != sandbox_start;
	return namespaces_check_kernel(e) ||
			       root_plan_build(s->spec, &s->image, &s->program, code, &s->map,
					       &s->root, e) ||
			       sandbox_prepare_output(s, e) || sandbox_prepare_plan(s, e)
		       ? -1
		       : 0;
}

void sandbox_replan_cold(struct sandbox *s)
{
	root_ops_fini(&s->root);
	own_close(&s->output_fd);
	own_close(&s->users);
	changes_fini(&s->before);
	s->start = sandbox_start;
	s->command_timeout_ms = 0;
	idmap_choose(s->program.uid, s->program.gid, &s->map);
}

/* Later pid 1 is not dumpable, and its user namespace is closed to us (proc_pid_ns(5)). */
static int sandbox_open_namespace(const struct child *child, int *out, struct err *e)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)child->pid);
	*out = open(path, O_RDONLY | O_CLOEXEC);
	return *out < 0 ? err_sys(e, "open %s", path) : 0;
}

/*
 * For clients of a nursery, which are ordinary users; root may take any id without it.
 */
static int sandbox_open_users(struct sandbox *s, const struct child *child, struct err *e)
{
	if (s->plan.stays && s->spec->writable && sandbox_open_namespace(child, &s->owner, e))
		return -1;
	if (s->map.privileged || !s->map.block_count)
		return 0;
	return sandbox_open_namespace(child, &s->users, e);
}

/* Make the child and its cgroup, in the layout's order. */
int sandbox_start(struct sandbox *s, struct child *child, struct err *e)
{
	bool later = cgroup_can_wait();

	*child = child_none();
	if (host_omits("residue-mount"))
		(void)mount(s->id, "/mnt", "tmpfs", 0, NULL);
	if (tree_clone(s->root.ops, s->root.count, TREE_NESTED, e))
		return -1;
	if (!later && cgroup_open(s->id, &s->limits, &s->cgroup, e))
		return -1;
	if (!later && egress_start(&s->egress, &s->cgroup, e))
		return -1;
	if (child_start(&s->plan, &s->cgroup, &s->map, s->spec->interactive, child, e))
		return -1;
	child->waits = s->waits;
	if (later && (cgroup_open(s->id, &s->limits, &s->cgroup, e) ||
		      egress_start(&s->egress, &s->cgroup, e)))
		return -1;
	if (sandbox_open_users(s, child, e))
		return -1;
	/* Pid 1 builds its root meanwhile, and waits for its network itself. */
	if (child_admit(child, &s->cgroup, &s->map, e) || egress_await(&s->egress, e))
		return -1;
	if (s->plan.stays)
		cgroup_prepare_freezer(&s->cgroup);
	return s->plan.stays && !s->waits ? door_start_first(&s->plan, child, e) : 0;
}

void sandbox_destroy(struct sandbox *s)
{
	egress_end(&s->egress);
	if (s->endings && s->cgroup.layout)
		endings_take_group(s->endings, &s->cgroup);
	cgroup_close(&s->cgroup);
	root_ops_fini(&s->root);
	syscall_filter_fini(&s->profile);
	program_fini(&s->program);
	image_close(&s->image);
	changes_fini(&s->before);
	buf_fini(&s->code);
	own_close(&s->output_fd);
	own_close(&s->users);
	own_close(&s->owner);
}
