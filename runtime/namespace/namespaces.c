/*
 * namespaces - explain why the kernel refused a namespace, and name the remedy.
 */
#include "namespace/namespaces.h"

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
#include "base/process.h"
#include "namespace/container.h"
#include "namespace/fresh_proc.h"
#include "namespace/namespaces_cause.h"

#define MAP_MAX_BYTES (64u << 10)

#define NAMESPACES_CROWDED                                                                         \
	" (no more processes: raise \"ulimit -u\", or pids.max of the control group around this)"

bool namespaces_is_mapped(const char *file, unsigned long id)
{
	auto_buf struct buf text = {0};
	struct err ignored;
	const char *p;
	char *end;

	if (io_read_file(AT_FDCWD, file, MAP_MAX_BYTES, &text, &ignored))
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

pid_t namespaces_quiet_fork(uint64_t flags)
{
	struct clone_args args = {.flags = flags};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

int namespaces_quiet_wait(pid_t pid)
{
	const int status = process_reap(pid, __WALL);

	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

int namespaces_check_kernel(struct err *e)
{
	const struct refusal missing = {.number = ENOSYS};
	auto_buf struct buf why = {0};

	/*
	 * A kernel that has the call refuses attributes of size 0 with another errno than ENOSYS.
	 */
	if (!syscall(SYS_mount_setattr, -1, "", 0, NULL, 0) || errno != ENOSYS)
		return 0;
	if (namespaces_cause_is_in_sandbox(&missing, &why))
		return err_set(e, ERR_UNSUPPORTED, "%s", buf_string(&why));
	if (!namespaces_cause_is_filter(&missing, &why))
		buf_text(&why, "Linux 5.12 or newer is needed");
	return err_set(e, ERR_UNSUPPORTED, "this kernel has no mount_setattr(2): %s",
		       buf_string(&why));
}

int namespaces_refused(uint64_t wanted, const char *what, struct err *e)
{
	struct refusal r = {wanted, errno};
	auto_buf struct buf cause = {0};

	if (namespaces_cause_find(&r, &cause))
		return err_set(e, ERR_UNSUPPORTED, "%s: %s", what, buf_string(&cause));
	errno = r.number;
	return err_sys(e, "%s%s", what, r.number == EAGAIN ? NAMESPACES_CROWDED : "");
}

int namespaces_no_clone(const char *path, struct err *e)
{
	char what[256];

	snprintf(what, sizeof(what), "clone the mount of %.200s", path);
	if (errno == ENOSPC || ((errno == EPERM || errno == ENOSYS) &&
				(!container_may_administer() || container_is_filtered())))
		return namespaces_refused(CLONE_NEWNS, what, e);
	return err_sys(e, "%s", what);
}

void namespaces_explain(struct err *e)
{
	const uint64_t wanted =
		e->namespaces & (CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP);
	char what[sizeof(e->text)];

	memcpy(what, e->text, sizeof(what));
	if (!wanted && e->number == EAGAIN && e->no_process)
		snprintf(e->text, sizeof(e->text), "%.300s%s", what, NAMESPACES_CROWDED);
	if (!wanted)
		return;
	errno = e->number;
	if (wanted & CLONE_NEWPID)
		fresh_proc_refused(what, e);
	else
		namespaces_refused(wanted, what, e);
}

/*
 * AppArmor may let an unprivileged process make a user namespace, but take away all rights over it.
 */
static int namespaces_use(uint64_t made)
{
	if (made & CLONE_NEWNS && mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL))
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
