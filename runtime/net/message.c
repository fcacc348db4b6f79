/*
 * message - exchange bytes over a unix socket, with descriptors and credentials.
 */
#include "net/message.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/own.h"

#define FDS_SPACE CMSG_SPACE(MESSAGE_MAX_FDS * sizeof(int))

union control {
	char bytes[FDS_SPACE + CMSG_SPACE(sizeof(struct ucred))];
	struct cmsghdr align;
};

int message_pair(int type, int *ours, int *theirs)
{
	int pair[2];

	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair))
		return -1;
	*ours = pair[0];
	*theirs = pair[1];
	return 0;
}

int message_pair_down(int *ours, int *theirs)
{
	return message_pair(SOCK_STREAM, ours, theirs) || shutdown(*ours, SHUT_RD) ? -1 : 0;
}

int message_name_senders(int socket, bool on)
{
	const int value = on;

	return setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &value, sizeof(value));
}

static ssize_t message_send_all(int socket, const struct msghdr *message, int flags)
{
	ssize_t n;

	do
		n = sendmsg(socket, message, flags | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n;
}

/*
 * The kernel counts descriptors in flight per user and compares them with the sender's soft limit
 * of open files (unix(7), ETOOMANYREFS), usually 1024. A sandbox of an ordinary user shares the
 * user's id and may have more in flight. If our hard limit is higher, raise the soft one for this
 * message.
 */
static ssize_t message_send_beside_others(int socket, const struct msghdr *message, int flags)
{
	struct rlimit own;
	struct rlimit raised;
	ssize_t n;
	int error;

	if (getrlimit(RLIMIT_NOFILE, &own))
		return -1;
	raised = own;
	raised.rlim_cur = own.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &raised))
		return -1;
	n = message_send_all(socket, message, flags);
	error = errno;
	setrlimit(RLIMIT_NOFILE, &own);
	errno = error;
	return n;
}

ssize_t message_send(int socket, const void *bytes, size_t length, const int *fds,
		     unsigned fd_count, int flags)
{
	struct iovec body = {(void *)bytes, length};
	union control control;
	struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1};
	struct cmsghdr *header = &control.align;
	ssize_t n;

	if (fd_count > MESSAGE_MAX_FDS) {
		errno = EMSGSIZE;
		return -1;
	}
	if (fd_count) {
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		memset(control.bytes, 0, message.msg_controllen);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(header), fds, fd_count * sizeof(int));
	}
	n = message_send_all(socket, &message, flags);
	if (n < 0 && errno == ETOOMANYREFS)
		n = message_send_beside_others(socket, &message, flags);
	return n;
}

static void message_take_header(struct cmsghdr *header, struct message_extra *out)
{
	struct ucred who;

	if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
		out->fd_count = (unsigned)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		if (out->fd_count > MESSAGE_MAX_FDS)
			abort();
		memcpy(out->fds, CMSG_DATA(header), out->fd_count * sizeof(int));
	}
	if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_CREDENTIALS) {
		memcpy(&who, CMSG_DATA(header), sizeof(who));
		out->sender = who.pid;
	}
}

ssize_t message_receive(int socket, void *bytes, size_t size, int flags, struct message_extra *out)
{
	/* cppcheck-suppress ctuuninitvar ; recvmsg() fills it */
	struct iovec body = {bytes, size};
	union control control;
	struct msghdr message = {.msg_iov = &body,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	ssize_t n;

	out->fd_count = 0;
	out->sender = 0;
	out->truncated = out->lacks_fds = false;
	do
		n = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return n;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
		message_take_header(c, out);
	out->truncated = message.msg_flags & MSG_TRUNC;
	/*
	 * Our buffer holds as many as the kernel passes, so we have hit our limit of open files
	 * (EMFILE).
	 */
	out->lacks_fds = message.msg_flags & MSG_CTRUNC;
	if (out->lacks_fds)
		message_drop(out);
	return n;
}

int message_take(struct message_extra *m)
{
	int fd = m->fd_count ? take_fd(&m->fds[0]) : -1;

	message_drop(m);
	return fd;
}

void message_drop(struct message_extra *m)
{
	for (unsigned i = 0; i < m->fd_count; i++)
		own_close(&m->fds[i]);
	m->fd_count = 0;
}
