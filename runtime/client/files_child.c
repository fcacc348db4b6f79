/*
 * files_child - the process that works in a session's /workspace.
 */
#include "client/files_child.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/keep_fds.h"
#include "client/files_work.h"

#define DESCRIPTORS 16 /* four inherited, 0 to 2, six of files.h, and a reserve */

struct place {
	const struct files_request *request;
	int channel;
	pid_t parent;
};

static bool files_child_needs(const struct place *p, int fd)
{
	return fd == p->request->root_fd || fd == p->request->content_fd || fd == p->channel ||
	       (fd >= 0 && fd == p->request->rules.cell_fd);
}

/*
 * Close all descriptors but those needed. Put the workspace, a directory, in place of the standard
 * ones: output of a library goes nowhere, and our files do not get such a number.
 */
static int files_child_close(const struct place *p, struct err *e)
{
	const int kept[] = {p->request->root_fd, p->request->content_fd, p->channel,
			    p->request->rules.cell_fd};

	if (keep_fds(0, kept, sizeof(kept) / sizeof(kept[0])))
		return err_sys(e, "close what is not needed");
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (!files_child_needs(p, fd) && dup2(p->request->root_fd, fd) < 0)
			return err_sys(e, "fill the standard descriptors");
	}
	return 0;
}

/* The caller's handlers must not run here. EPIPE is an error like any other. */
static int files_child_reset_signals(const struct place *p, struct err *e)
{
	sigset_t none;

	(void)p;
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL); /* the kernel refuses those that cannot be changed */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* exceeding max_written is an error like any other */
	sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) ? err_sys(e, "unblock signals") : 0;
}

static int files_child_limit_one(__rlimit_resource_t which, rlim_t most, struct err *e)
{
	struct rlimit old;
	struct rlimit one = {most, most};

	if (getrlimit(which, &old))
		return err_sys(e, "read a limit");
	if (old.rlim_max < one.rlim_max)
		one.rlim_max = one.rlim_cur = old.rlim_max;
	return setrlimit(which, &one) ? err_sys(e, "set a limit") : 0;
}

static int files_child_limit(const struct place *p, struct err *e)
{
	const uint64_t most = p->request->rules.max_written;

	if (most && files_child_limit_one(RLIMIT_FSIZE, most, e))
		return -1;
	return files_child_limit_one(RLIMIT_CORE, 0, e) ||
			       files_child_limit_one(RLIMIT_NPROC, 0, e) ||
			       files_child_limit_one(RLIMIT_NOFILE, DESCRIPTORS, e)
		       ? -1
		       : 0;
}

/* If we may not enter the workspace, opening a file in it reports so. */
static int files_child_enter(const struct place *p, struct err *e)
{
	if (!fchdir(p->request->root_fd) || (errno == EACCES && !chdir("/")))
		return 0;
	return err_sys(e, "enter the workspace");
}

static bool files_child_takes_ids(const struct place *p)
{
	return geteuid() != p->request->rules.uid || getegid() != p->request->rules.gid;
}

static bool files_child_has_ids(const struct files_rules *rules)
{
	uid_t u[3];
	gid_t g[3];

	if (getresuid(&u[0], &u[1], &u[2]) || getresgid(&g[0], &g[1], &g[2]))
		return false;
	for (int i = 0; i < 3; i++) {
		if (u[i] != rules->uid || g[i] != rules->gid)
			return false;
	}
	return true;
}

/* Read the one id that is mapped in our user namespace: "INSIDE OUTSIDE 1". */
static int files_child_read_map(const char *path, uint32_t *inside, struct err *e)
{
	auto_buf struct buf map = {0};
	char *end;

	if (io_read_file(AT_FDCWD, path, 4096, &map, e))
		return -1;
	*inside = (uint32_t)strtoul(buf_string(&map), &end, 10);
	return end == buf_string(&map) ? err_set(e, ERR_SYSTEM, "%s has no id", path) : 0;
}

/*
 * The cell of an ordinary user has an id that only root could take; but the supervisor's user may
 * enter the cell's user namespace, which maps that id alone.
 */
static int files_child_join(const struct place *p, struct files_rules *ids, struct err *e)
{
	if (geteuid() == 0 || !files_child_takes_ids(p) || ids->cell_fd < 0)
		return 0;
	if (setns(ids->cell_fd, CLONE_NEWUSER))
		return err_sys(e, "enter the session's user namespace");
	return files_child_read_map("/proc/self/uid_map", &ids->uid, e) ||
			       files_child_read_map("/proc/self/gid_map", &ids->gid, e)
		       ? -1
		       : 0;
}

/*
 * An ordinary user keeps its groups: setgroups(2) is denied in the user namespaces that it makes
 * (host/idmap.c, inside/cell_birth.c). The session's processes have these groups, too, and this one
 * opens only files below root_fd.
 */
static int files_child_take_ids(const struct place *p, struct err *e)
{
	const struct files_rules *rules = &p->request->rules;
	const bool must_drop_groups = geteuid() == 0;
	struct files_rules ids = *rules;

	if (files_child_join(p, &ids, e))
		return -1;
	if ((setgroups(0, NULL) && must_drop_groups) || setresgid(ids.gid, ids.gid, ids.gid) ||
	    setresuid(ids.uid, ids.uid, ids.uid) || !files_child_has_ids(&ids))
		return err_set(e, ERR_UNSUPPORTED,
			       "the sandbox's ids %u:%u cannot be taken without root", rules->uid,
			       rules->gid);
	return 0;
}

static int files_child_drop_rights(const struct place *p, struct err *e)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[2] = {{0}, {0}};

	(void)p;
	/* Dropping permitted capabilities also drops ambient ones. */
	if (syscall(SYS_capset, &header, none))
		return err_sys(e, "drop capabilities");
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? err_sys(e, "set no_new_privs") : 0;
}

static int files_child_hide(const struct place *p, struct err *e)
{
	(void)p;
	return prctl(PR_SET_DUMPABLE, 0) ? err_sys(e, "hide the process") : 0;
}

/* The caller may have exited before PR_SET_PDEATHSIG; it has already sent its byte. */
static int files_child_follow_parent(const struct place *p, struct err *e)
{
	char word;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return err_sys(e, "follow the caller");
	if (read(p->channel, &word, 1) != 1 || getppid() != p->parent)
		return err_set(e, ERR_GONE, "the caller has ended");
	return 0;
}

/* Changing ids resets the dumpable flag and the parent-death signal: set both again. */
static int files_child_become(const struct place *p, struct err *e)
{
	static int (*const steps[])(const struct place *p, struct err *e) = {
		files_child_hide,  files_child_close,    files_child_reset_signals,
		files_child_limit, files_child_take_ids, files_child_drop_rights,
		files_child_hide,  files_child_enter,    files_child_follow_parent,
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (steps[i](p, e))
			return -1;
	}
	return 0;
}

static int files_child_work(const struct files_request *r, struct files_answer *a, struct buf *json,
			    struct err *e)
{
	switch (r->action) {
	case FILES_LIST:
		return files_list(r->root_fd, r->path, &r->rules, json, &a->listed, e);
	case FILES_PUT:
		return files_put(r->root_fd, r->path, r->content_fd, r->mode, &r->rules, e);
	case FILES_GET:
		return files_get(r->root_fd, r->path, r->content_fd, &r->rules, &a->got, e);
	case FILES_ARCHIVE:
		return files_archive(r->root_fd, r->path, r->content_fd, &r->rules, &a->got,
				     &a->listed, e);
	case FILES_DELETE:
		return files_delete(r->root_fd, r->path, r->recursive, &r->rules, e);
	}
	return err_set(e, ERR_INPUT, "no such action");
}

/* Exit without freeing memory or running the caller's atexit handlers. */
void files_child_main(const struct files_request *request, int channel, pid_t parent)
{
	const struct place place = {request, channel, parent};
	struct files_answer answer = {.error.kind = ERR_NONE};
	struct buf json = {0};

	if (!files_child_become(&place, &answer.error))
		(void)files_child_work(request, &answer, &json, &answer.error);
	answer.json_length = json.length;
	if (!io_write_all(channel, &answer, sizeof(answer)))
		(void)io_write_all(channel, json.data, json.length);
	_exit(0);
}
