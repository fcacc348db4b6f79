/*
 * runtime_dir - where a warm supervisor is found.
 */
#include "wire/runtime_dir.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/private_dir.h"
#include "host/omit.h"
#include "net/unix_address.h"

#define SOCKET  "warm.sock"
#define BACKLOG 4096 /* a burst waits here; the kernel caps it at net.core.somaxconn */

static int runtime_dir_path_of(const char *where, bool make, char *out, size_t size, struct err *e)
{
	if (!where)
		return private_dir_of_user(make, out, size, e);
	snprintf(out, size, "%s/glovebox", where);
	return 0;
}

static int runtime_dir_check_own(const struct stat *st, const char *path, struct err *e)
{
	if (st->st_uid != geteuid() || (st->st_mode & 077))
		return err_input(e, "%s must be yours alone: chmod 700, chown", path);
	return 0;
}

static int runtime_dir_open_own(const char *where, int *out_fd, struct err *e)
{
	char path[PATH_MAX];
	struct stat st;

	if (runtime_dir_path_of(where, true, path, sizeof(path), e))
		return -1;
	if (!where && private_dir_check(path, e))
		return -1;
	*out_fd = private_dir_open(path, e);
	if (*out_fd < 0)
		return -1;
	if (fstat(*out_fd, &st))
		return err_sys(e, "look at %s", path);
	return runtime_dir_check_own(&st, path, e);
}

static int runtime_dir_take_lock(int dir_fd, int *out, struct err *e)
{
	auto_fd int fd = openat(dir_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return err_sys(e, "open the lock of the warm supervisor");
	if (flock(fd, LOCK_EX | LOCK_NB))
		return err_input(e, "a warm supervisor is running already: glovebox warm status");
	*out = take_fd(&fd);
	return 0;
}

int runtime_dir_lock(int *out_lock, struct err *e)
{
	auto_fd int dir_fd = -1;

	return runtime_dir_open_own(NULL, &dir_fd, e) || runtime_dir_take_lock(dir_fd, out_lock, e)
		       ? -1
		       : 0;
}

/* We have the lock, so only systemd can be listening, which starts a supervisor on demand. */
static bool runtime_dir_is_listened_to(const struct sockaddr_un *address)
{
	auto_fd int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd >= 0 && (!connect(fd, (const struct sockaddr *)address, sizeof(*address)) ||
			   errno == EAGAIN);
}

int runtime_dir_listen(const char *where, int *out_fd, int *out_lock, struct err *e)
{
	auto_fd int dir_fd = -1;
	auto_fd int lock_fd = -1;
	auto_fd int fd = -1;
	struct sockaddr_un address;

	if (runtime_dir_open_own(where, &dir_fd, e) || runtime_dir_take_lock(dir_fd, &lock_fd, e))
		return -1;
	(void)unix_address_in(dir_fd, SOCKET, &address);
	if (runtime_dir_is_listened_to(&address))
		return err_input(e,
				 "systemd starts a warm supervisor at the first request: use "
				 "that, or stop glovebox-warm.socket");
	/* A killed supervisor left what is there now. */
	unlinkat(dir_fd, SOCKET, 0);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, BACKLOG))
		return err_sys(e, "listen on " SOCKET);
	*out_fd = take_fd(&fd);
	*out_lock = take_fd(&lock_fd);
	return 0;
}

void runtime_dir_unlink(void)
{
	auto_fd int dir_fd = -1;
	struct err e;

	if (!host_omits("residue-socket") && !runtime_dir_open_own(NULL, &dir_fd, &e))
		unlinkat(dir_fd, SOCKET, 0);
}

int runtime_dir_connect(const char *where, int *out_fd, struct err *e)
{
	auto_fd int dir_fd = -1;
	auto_fd int fd = -1;
	char path[PATH_MAX];
	struct sockaddr_un address;
	struct ucred peer;
	socklen_t size = sizeof(peer);
	struct stat st;

	if (runtime_dir_path_of(where, false, path, sizeof(path), e))
		return -1;
	dir_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* Who could not start one either is told why. */
	if (dir_fd < 0 || fstat(dir_fd, &st))
		return !where && private_dir_check(path, e) ? -1 : 1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_sys(e, "make a socket");
	(void)unix_address_in(dir_fd, SOCKET, &address);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		int error = errno;

		/* No supervisor starts in such a directory. */
		if (where ? runtime_dir_check_own(&st, path, e) : private_dir_check(path, e))
			return -1;
		if (error == EAGAIN)
			return err_set(e, ERR_BUSY,
				       "the warm supervisor's queue of connections is full "
				       "(net.core.somaxconn): try again later, or is it stopped?");
		errno = error;
		return error == ENOENT || error == ECONNREFUSED || error == ECONNRESET
			       ? 1
			       : err_sys(e, "connect to " SOCKET);
	}
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid())
		return err_input(e, "the warm supervisor in %s is someone else's", path);
	*out_fd = take_fd(&fd);
	return 0;
}
