/*
 * sockets - the five sockets of a kernel; the only user of libzmq.
 */
#include "kernel/sockets.h"

#include <errno.h>
#include <stdlib.h>
#include <zmq.h>

#include "base/own.h"

#define LINGER_MS 1000
#define QUEUE     256 /* messages for one client */

struct sockets {
	void *context;
	void *sockets[KERNEL_SOCKETS];
	bool is_lossy; /* a client has taken nothing for too long */
};

/* -- opening --------------------------------------------------------------------------------- */

static int sockets_set(void *socket, int option, int value)
{
	return zmq_setsockopt(socket, option, &value, sizeof(value));
}

static int sockets_bind(struct sockets *s, enum kernel_socket which, int type, const char *place,
			struct err *e)
{
	const int64_t largest = FRAMES_BYTES;
	void *socket = s->sockets[which] = zmq_socket(s->context, type);

	if (!socket || sockets_set(socket, ZMQ_LINGER, LINGER_MS) ||
	    sockets_set(socket, ZMQ_SNDHWM, QUEUE) ||
	    zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &largest, sizeof(largest)))
		return err_sys(e, "make a socket");
	/* A client that connects anew under its old name takes the old one's place. */
	if (type == ZMQ_ROUTER && sockets_set(socket, ZMQ_ROUTER_HANDOVER, 1))
		return err_sys(e, "make a socket");
	if (zmq_bind(socket, place)) {
		errno = errno > ZMQ_HAUSNUMERO ? EINVAL : errno;
		return err_sys(e, "bind %.200s", place);
	}
	return 0;
}

int sockets_open(const struct connection *c, struct sockets **out, struct err *e)
{
	static const int types[KERNEL_SOCKETS] = {
		[SOCKET_SHELL] = ZMQ_ROUTER,     [SOCKET_CONTROL] = ZMQ_ROUTER,
		[SOCKET_STDIN] = ZMQ_ROUTER,     [SOCKET_IOPUB] = ZMQ_PUB,
		[SOCKET_HEARTBEAT] = ZMQ_ROUTER,
	};
	struct sockets *s = own_zeroed(1, sizeof(*s));

	s->context = zmq_ctx_new();
	for (int i = 0; i < KERNEL_SOCKETS; i++) {
		if (sockets_bind(s, (enum kernel_socket)i, types[i], c->places[i], e)) {
			sockets_close(s);
			return -1;
		}
	}
	(void)sockets_set(s->sockets[SOCKET_IOPUB], ZMQ_XPUB_NODROP, 1);
	(void)sockets_set(s->sockets[SOCKET_IOPUB], ZMQ_SNDTIMEO, SOCKETS_WAIT_MS);
	*out = s;
	return 0;
}

void sockets_close(struct sockets *s)
{
	if (!s)
		return;
	for (int i = 0; i < KERNEL_SOCKETS; i++) {
		if (s->sockets[i])
			zmq_close(s->sockets[i]);
	}
	zmq_ctx_term(s->context);
	free(s);
}

int sockets_fd(const struct sockets *s, enum kernel_socket which)
{
	int fd = -1;
	size_t size = sizeof(fd);

	return zmq_getsockopt(s->sockets[which], ZMQ_FD, &fd, &size) ? -1 : fd;
}

/* -- receiving ------------------------------------------------------------------------------- */

/* One part. Returns whether another follows; -1: there was none. */
static int sockets_receive_part(void *socket, struct frames *out, bool *fits)
{
	zmq_msg_t part;
	int more = -1;

	zmq_msg_init(&part);
	if (zmq_msg_recv(&part, socket, ZMQ_DONTWAIT) >= 0) {
		*fits = *fits && out->count < FRAMES_MAX;
		if (*fits)
			frames_add(out, zmq_msg_data(&part), zmq_msg_size(&part));
		more = zmq_msg_more(&part);
	}
	zmq_msg_close(&part);
	return more;
}

bool sockets_receive(struct sockets *s, enum kernel_socket which, struct frames *out)
{
	bool fits;
	int more;

	do {
		fits = true;
		do
			more = sockets_receive_part(s->sockets[which], out, &fits);
		while (more > 0);
		if (!fits)
			frames_fini(out);
	} while (!fits && !more);
	return more == 0;
}

void sockets_settle(struct sockets *s, enum kernel_socket which)
{
	int events;
	size_t size = sizeof(events);

	(void)zmq_getsockopt(s->sockets[which], ZMQ_EVENTS, &events, &size);
}

/* -- sending --------------------------------------------------------------------------------- */

static bool sockets_send_part(void *socket, const struct buf *part, int flags)
{
	return zmq_send(socket, buf_string(part), part->length, flags) >= 0;
}

/*
 * libzmq refuses a message while any client of IOPUB has no room for it, or drops it for that one
 * alone. It decides by the first part.
 */
static bool sockets_send_first(struct sockets *s, void *socket, const struct buf *part, int flags)
{
	if (sockets_send_part(socket, part, flags | (s->is_lossy ? ZMQ_DONTWAIT : 0))) {
		s->is_lossy = false;
		return true;
	}
	s->is_lossy = errno == EAGAIN;
	if (!s->is_lossy)
		return false;
	(void)sockets_set(socket, ZMQ_XPUB_NODROP, 0);
	(void)sockets_send_part(socket, part, flags | ZMQ_DONTWAIT);
	(void)sockets_set(socket, ZMQ_XPUB_NODROP, 1);
	return true;
}

void sockets_send(struct sockets *s, enum kernel_socket which, const struct frames *message)
{
	void *socket = s->sockets[which];

	for (size_t i = 0; i < message->count; i++) {
		const int more = i + 1 < message->count ? ZMQ_SNDMORE : 0;
		const struct buf *part = &message->items[i];

		/* A ROUTER drops by itself what is for nobody, or does not fit. */
		if (which == SOCKET_IOPUB && !i
			    ? !sockets_send_first(s, socket, part, more)
			    : !sockets_send_part(socket, part, more | ZMQ_DONTWAIT))
			return;
	}
}
