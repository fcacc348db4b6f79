/*
 * overlay_try - try whether this kernel allows --writable.
 */
#include "root/overlay_try.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "namespace/idmap.h"

#define PLACE "/proc" /* every host has it, and the child's mount namespace is its own */

/* The same options as in inside/overlay.c. */
#define OPTIONS "lowerdir=lower,upperdir=upper,workdir=work,userxattr"

/*
 * In a file system of a user namespace only mapped ids can create files, and only the parent may
 * write the map.
 */
static int overlay_try_become_root(int parent)
{
	char byte = 0;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || write(parent, &byte, 1) != 1 ||
	    read(parent, &byte, 1) != 1)
		return -1;
	return setresgid(0, 0, 0) || setresuid(0, 0, 0) ? -1 : 0;
}

/* Runs: a child. Its exit status is the errno. */
static _Noreturn void overlay_try_mount(int parent)
{
	if (overlay_try_become_root(parent) || mount("tmpfs", PLACE, "tmpfs", 0, NULL) ||
	    chdir(PLACE) || mkdir("lower", 0700) || mkdir("upper", 0700) || mkdir("work", 0700) ||
	    mount("overlay", "lower", "overlay", 0, OPTIONS))
		_exit(errno);
	_exit(0);
}

/* A child that has ended sends nothing; the child exits if the parent does not answer. */
static void overlay_try_map(pid_t pid, int child)
{
	struct err ignored;
	struct idmap map;
	char byte;

	idmap_choose(0, 0, &map);
	if (read(child, &byte, 1) == 1 && !idmap_write(pid, &map, &ignored))
		(void)send(child, &byte, 1, MSG_NOSIGNAL);
	else
		kill(pid, SIGKILL);
}

int overlay_try(void)
{
	auto_fd int ours = -1;
	auto_fd int theirs = -1;
	int status = 0;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	ours = pair[0];
	theirs = pair[1];
	pid = fork();
	if (pid == 0) {
		own_close(&ours);
		overlay_try_mount(theirs);
	}
	own_close(&theirs);
	if (pid > 0)
		overlay_try_map(pid, ours);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	return errno ? -1 : 0;
}
