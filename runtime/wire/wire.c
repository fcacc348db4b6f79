/*
 * wire - one message between two processes of ours: JSON text and descriptors.
 */
#include "wire/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"
#include "net/message.h"

int wire_send(int socket, const void *text, size_t length, const int *fds, unsigned fd_count,
	      struct err *e)
{
	if (length > WIRE_MAX_TEXT || fd_count > WIRE_MAX_FDS)
		return err_set(e, ERR_UNSUPPORTED, "the message is too large");
	return message_send(socket, text, length, fds, fd_count, 0) < 0
		       ? err_sys(e, "send a message")
		       : 0;
}

/* The bytes of the next message, which stays (unix(7): MSG_TRUNC tells the whole length). */
static ssize_t wire_next_size(int socket)
{
	char first;
	ssize_t n;

	do
		n = recv(socket, &first, sizeof(first), MSG_PEEK | MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	return n;
}

int wire_receive(int socket, struct wire_message *out, struct err *e)
{
	/* Room for the largest on the stack would be 32 page faults in a process that begins. */
	ssize_t size = wire_next_size(socket);
	auto_free char *text = NULL;
	struct message_extra extra;
	ssize_t n;

	*out = (struct wire_message){0};
	if (size < 0)
		return err_sys(e, "receive a message");
	size = size < (ssize_t)WIRE_MAX_TEXT ? size : (ssize_t)WIRE_MAX_TEXT;
	text = own_resize(NULL, (size_t)size + 1, 1);
	n = message_receive(socket, text, (size_t)size, 0, &extra);
	if (n < 0)
		return err_sys(e, "receive a message");
	if (n == 0) { /* the end; or an empty message, which we never send */
		message_drop(&extra);
		return 0;
	}
	if (extra.truncated || extra.fd_count > WIRE_MAX_FDS) {
		message_drop(&extra);
		return err_set(e, ERR_INPUT, "a message is too large");
	}
	out->lacks_fds = extra.lacks_fds;
	out->fd_count = extra.fd_count;
	memcpy(out->fds, extra.fds, extra.fd_count * sizeof(int));
	text[n] = '\0';
	out->text = (struct buf){.length = (size_t)n, .capacity = (size_t)size + 1};
	out->text.data = take_ptr(&text);
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
