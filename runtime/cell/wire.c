/*
 * wire - one message between two processes of ours: JSON text and descriptors.
 */
#include "cell/wire.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/own.h"

union control {
	char bytes[CMSG_SPACE(WIRE_MAX_FDS * sizeof(int))];
	struct cmsghdr align;
};

int wire_send(int socket, const void *text, size_t length, const int *fds, unsigned fd_count,
	      struct err *e)
{
	struct iovec body = {(void *)text, length};
	union control control = {0};
	struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1};
	struct cmsghdr *header = &control.align;
	ssize_t n;

	if (length > WIRE_MAX_TEXT || fd_count > WIRE_MAX_FDS)
		return err_set(e, ERR_UNSUPPORTED, "the message is too large");
	if (fd_count) {
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(header), fds, fd_count * sizeof(int));
	}
	do
		n = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? err_sys(e, "send a message") : 0;
}

static void take_descriptors(struct msghdr *message, struct wire_message *out)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);

	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
		return;
	out->fd_count = (unsigned)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
	memcpy(out->fds, CMSG_DATA(header), out->fd_count * sizeof(int));
}

int wire_receive(int socket, struct wire_message *out, struct err *e)
{
	char text[WIRE_MAX_TEXT] __attribute__((uninitialized)); /* 32 pages, for 100 bytes */
	struct iovec body = {text, sizeof(text)};
	union control control;
	struct msghdr message = {.msg_iov = &body,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	ssize_t n;

	*out = (struct wire_message){0};
	do
		n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_sys(e, "receive a message");
	take_descriptors(&message, out);
	if (n == 0) { /* the end; or an empty message, which nobody of ours sends */
		wire_fini(out);
		return 0;
	}
	if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
		wire_fini(out);
		return err_set(e, ERR_INPUT, "a message is too large");
	}
	buf_add(&out->text, text, (size_t)n);
	return 1;
}

void wire_fini(struct wire_message *m)
{
	for (unsigned i = 0; i < m->fd_count; i++)
		own_close(&m->fds[i]);
	buf_fini(&m->text);
	*m = (struct wire_message){0};
}

int wire_take(struct wire_message *m, unsigned index)
{
	return index < m->fd_count ? take_fd(&m->fds[index]) : -1;
}
