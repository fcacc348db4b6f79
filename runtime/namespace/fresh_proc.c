/*
 * fresh_proc - explain why a sandbox cannot mount /proc, and name the remedy.
 */
#include "namespace/fresh_proc.h"

#include <linux/magic.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/own.h"
#include "host/mount_table.h"
#include "namespace/container.h"
#include "namespace/namespaces.h"

#define NAMED_MAX 3

int fresh_proc_check_host(struct err *e)
{
	struct container c;
	struct statfs fs;

	if (statfs("/proc", &fs) || fs.f_type != PROC_SUPER_MAGIC)
		return err_set(e, ERR_UNSUPPORTED,
			       "/proc is not mounted here: \"mount -t proc proc /proc\" as root");
	if (!(fs.f_flags & ST_RDONLY))
		return 0;
	container_look(&c);
	if (c.is_sandbox) /* the kernel's refusal says why */
		return 0;
	return err_set(e, ERR_UNSUPPORTED,
		       "/proc is mounted read-only, so no ids can be mapped: \"mount -o "
		       "remount,bind,rw /proc\" as root");
}

/* The kernel made these directories as mount points: a mount on them hides nothing. */
static bool fresh_proc_is_for_mounts(const char *point)
{
	return !strcmp(point, "/proc/sys/fs/binfmt_misc") || !strcmp(point, "/proc/fs/nfsd");
}

unsigned fresh_proc_covers(struct buf *out)
{
	auto_mount_table struct mount_table table = {0};
	struct err ignored;
	auto_fd int fd = mount_table_open(&ignored);
	unsigned count = 0;

	if (fd < 0 || mount_table_read(fd, &table, &ignored))
		return 0;
	for (size_t i = 0; i < table.count; i++) {
		const char *point = table.items[i].point;

		if (strncmp(point, "/proc/", 6) != 0 || fresh_proc_is_for_mounts(point))
			continue;
		if (count++ < NAMED_MAX && out)
			buf_printf(out, "%s%.100s", count > 1 ? ", " : "", point);
	}
	if (count > NAMED_MAX && out)
		buf_text(out, ", ...");
	return count;
}

int fresh_proc_refused(const char *what, struct err *e)
{
	int number = errno;
	auto_buf struct buf covered = {0};
	auto_buf struct buf advice = {0};

	if (fresh_proc_check_host(e))
		return -1;
	if (number == EPERM && fresh_proc_covers(&covered)) {
		container_advise(&advice);
		return err_set(
			e, ERR_UNSUPPORTED,
			"%s: something is mounted over parts of this machine's /proc (%s), so "
			"the kernel gives no other one: \"umount\" it, or %s",
			what, buf_string(&covered), buf_string(&advice));
	}
	errno = number;
	/* EACCES comes from a security module, as with Docker's profile. */
	return number == EACCES ? namespaces_refused(CLONE_NEWNS, what, e) : err_sys(e, "%s", what);
}

/* Runs: a child. Its exit status is the errno. */
static _Noreturn void fresh_proc_mount(void)
{
	int status = 0;
	pid_t pid;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID))
		_exit(errno);
	pid = fork();
	if (pid == 0)
		_exit(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) ? errno
											     : 0);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		_exit(errno);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : EINTR);
}

int fresh_proc_try(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		fresh_proc_mount();
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	return errno ? -1 : 0;
}
