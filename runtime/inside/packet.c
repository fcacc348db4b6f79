/*
 * packet - receive one fixed-size message with descriptors from the host's side.
 */
#include "inside/packet.h"

#include <errno.h>
#include <fcntl.h>

#include "inside/sys.h"

#define RAISED_FD 16

long packet_receive(int socket, void *body, size_t size, struct packet *out)
{
	struct iovec iov = {body, size};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = out->control.bytes,
				 .msg_controllen = sizeof(out->control.bytes)};
	struct cmsghdr *c;
	long n;

	out->fd_count = 0;
	do
		n = sys3(__NR_recvmsg, socket, &message, MSG_CMSG_CLOEXEC);
	while (n == -EINTR);
	if (n <= 0)
		return n;
	c = CMSG_FIRSTHDR(&message);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		out->fd_count = (unsigned)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
	for (unsigned i = 0; i < out->fd_count; i++)
		out->fds[i] = ((const int *)CMSG_DATA(c))[i];
	return n == (long)size && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) ? 1 : -EBADMSG;
}

void packet_close(const struct packet *p)
{
	for (unsigned i = 0; i < p->fd_count; i++)
		sys_close(p->fds[i]);
}

int packet_raise(int fd)
{
	long n = sys3(__NR_fcntl, fd, F_DUPFD_CLOEXEC, RAISED_FD);

	sys_close(fd);
	return (int)n;
}
