/*
 * stub_sockets - receive DNS questions, over UDP and over TCP.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/own.h"
#include "egress/stub.h"

#define STUB_UDP_AT_ONCE 64
#define STUB_TCP_AT_ONCE 8
#define STUB_UDP_BATCH   16    /* datagrams per turn, before other descriptors have theirs */
#define STUB_TCP_BYTES   1024  /* of a question */
#define STUB_PAUSE_MS    500   /* pause when out of descriptors */
#define STUB_TCP_MS      10000 /* for the next question, or for the client to take its answer */

/* A datagram being answered. */
struct stub_datagram {
	struct stub_question question;
	struct stub *stub;
	bool in_use;
	struct sockaddr_storage from;
	socklen_t from_size;
	/* its destination */
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	size_t control_size;
};

/* One TCP client; it has one question at a time. */
struct stub_stream {
	struct watch watch;
	struct stub_question question;
	struct stub *stub;
	int fd;         /* owned; -1: not in use */
	bool is_asking; /* its question is not answered yet */
	bool is_busy;   /* stub_sockets_ask() is running and continues by itself */
	uint8_t in[2 + STUB_TCP_BYTES];
	size_t in_size;
	uint64_t deadline_ms;
};

struct stub {
	struct egress *egress;
	int udp;
	int tcp;
	uint64_t retry_ms; /* `tcp` is paused until then; 0: not paused */
	struct watch udp_watch;
	struct watch tcp_watch;
	struct stub_datagram datagrams[STUB_UDP_AT_ONCE];
	struct stub_stream streams[STUB_TCP_AT_ONCE];
};

/* -- UDP -------------------------------------------------------------------------------- */

static void stub_sockets_datagram_answered(struct stub_question *q, const uint8_t *bytes,
					   size_t size)
{
	struct stub_datagram *d = (struct stub_datagram *)q;
	struct iovec iov = {(void *)bytes, size};
	struct msghdr message = {.msg_name = &d->from,
				 .msg_namelen = d->from_size,
				 .msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = d->control_size ? d->control : NULL,
				 .msg_controllen = d->control_size};

	d->in_use = false;
	if (size)
		(void)sendmsg(d->stub->udp, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Answer from the address that was asked: reuse its control message, without the device. */
static void stub_sockets_keep_destination(struct stub_datagram *d, struct msghdr *message)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);

	d->control_size = 0;
	if (!header)
		return;
	if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_PKTINFO)
		((struct in6_pktinfo *)CMSG_DATA(header))->ipi6_ifindex = 0;
	else if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO)
		*(struct in_pktinfo *)CMSG_DATA(header) = (struct in_pktinfo){
			.ipi_spec_dst = ((struct in_pktinfo *)CMSG_DATA(header))->ipi_addr};
	else
		return;
	d->control_size = CMSG_SPACE(header->cmsg_len - CMSG_LEN(0));
}

static struct stub_datagram *stub_sockets_free_datagram(struct stub *s)
{
	for (size_t i = 0; i < STUB_UDP_AT_ONCE; i++) {
		if (!s->datagrams[i].in_use)
			return &s->datagrams[i];
	}
	return NULL;
}

/*
 * Returns false when the socket is empty. A question without a free slot is dropped: its client
 * retries.
 */
static bool stub_sockets_receive(struct stub *s)
{
	struct stub_datagram *d = stub_sockets_free_datagram(s);
	struct stub_datagram spare = {0};
	uint8_t bytes[DNS_UDP_MIN]; /* questions are not longer */
	struct iovec iov = {bytes, sizeof(bytes)};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
	struct stub_datagram *into = d ? d : &spare;
	ssize_t n;

	message.msg_name = &into->from;
	message.msg_namelen = sizeof(into->from);
	message.msg_control = into->control;
	message.msg_controllen = sizeof(into->control);
	n = recvmsg(s->udp, &message, MSG_DONTWAIT);
	if (n < 0)
		return errno == EINTR;
	if (!d || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return true;
	d->stub = s;
	d->in_use = true;
	d->from_size = message.msg_namelen;
	stub_sockets_keep_destination(d, &message);
	d->question = (struct stub_question){.egress = s->egress,
					     .answered = stub_sockets_datagram_answered};
	stub_ask(&d->question, bytes, (size_t)n);
	return true;
}

static void stub_sockets_udp_ready(struct watch *w, uint32_t events)
{
	struct stub *s = (struct stub *)((char *)w - offsetof(struct stub, udp_watch));

	(void)events;
	for (int i = 0; i < STUB_UDP_BATCH; i++) {
		if (!stub_sockets_receive(s))
			return;
	}
}

/* -- TCP -------------------------------------------------------------------------------- */

static void stub_sockets_end(struct stub_stream *t)
{
	if (t->is_asking)
		stub_forget(&t->question);
	t->is_asking = false;
	reactor_forget(&t->stub->egress->reactor, &t->watch);
	own_close(&t->fd);
}

static size_t stub_sockets_length(const struct stub_stream *t)
{
	return t->in_size < 2 ? 0 : (size_t)(t->in[0] << 8 | t->in[1]);
}

static void stub_sockets_ask(struct stub_stream *t);

/* End a client whose queue is too full for one answer: it does not read. */
static void stub_sockets_answered(struct stub_question *q, const uint8_t *bytes, size_t size)
{
	struct stub_stream *t =
		(struct stub_stream *)((char *)q - offsetof(struct stub_stream, question));
	uint8_t out[2 + STUB_ANSWER_MAX] = {(uint8_t)(size >> 8), (uint8_t)size};
	size_t taken = 2 + stub_sockets_length(t);

	t->is_asking = false;
	if (size)
		memcpy(out + 2, bytes, size);
	if (!size ||
	    send(t->fd, out, 2 + size, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)(2 + size)) {
		stub_sockets_end(t);
		return;
	}
	t->in_size -= taken;
	memmove(t->in, t->in + taken, t->in_size);
	if (!t->is_busy)
		stub_sockets_ask(t);
}

/* Answer complete questions, one after the other. */
static void stub_sockets_ask(struct stub_stream *t)
{
	while (t->fd >= 0 && !t->is_asking) {
		size_t length = stub_sockets_length(t);

		if (length > STUB_TCP_BYTES || (t->in_size >= 2 && !length)) {
			stub_sockets_end(t);
			return;
		}
		if (!length || t->in_size < 2 + length)
			return;
		t->is_asking = true;
		t->question = (struct stub_question){.egress = t->stub->egress,
						     .answered = stub_sockets_answered,
						     .is_tcp = true};
		t->is_busy = true;
		stub_ask(&t->question, t->in + 2, length);
		t->is_busy = false;
	}
}

static void stub_sockets_ready(struct watch *w, uint32_t events)
{
	struct stub_stream *t = (struct stub_stream *)w;
	size_t room = sizeof(t->in) - t->in_size;
	ssize_t n = room ? recv(t->fd, t->in + t->in_size, room, MSG_DONTWAIT) : 0;

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) { /* the client closed, or sent more than one question before its answer */
		stub_sockets_end(t);
		return;
	}
	t->in_size += (size_t)n;
	t->deadline_ms = t->stub->egress->reactor.now_ms + STUB_TCP_MS;
	stub_sockets_ask(t);
}

/* Evict the client that has waited longest, if no slot is free. */
static struct stub_stream *stub_sockets_free_stream(struct stub *s)
{
	struct stub_stream *oldest = &s->streams[0];

	for (size_t i = 0; i < STUB_TCP_AT_ONCE; i++) {
		if (s->streams[i].fd < 0)
			return &s->streams[i];
		if (s->streams[i].deadline_ms < oldest->deadline_ms)
			oldest = &s->streams[i];
	}
	stub_sockets_end(oldest);
	return oldest;
}

static void stub_sockets_tcp_ready(struct watch *w, uint32_t events)
{
	struct stub *s = (struct stub *)((char *)w - offsetof(struct stub, tcp_watch));
	/* cppcheck-suppress nullPointer ; the address is not needed (accept4(2)) */
	int fd = accept4(s->tcp, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct stub_stream *t;

	(void)events;
	if (fd < 0) {
		if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
			return;
		reactor_forget(&s->egress->reactor, &s->tcp_watch); /* stub_tick() retries */
		s->retry_ms = s->egress->reactor.now_ms + STUB_PAUSE_MS;
		return;
	}
	t = stub_sockets_free_stream(s);
	*t = (struct stub_stream){
		.watch = {.fd = -1, .ready = stub_sockets_ready},
		.stub = s,
		.fd = fd,
		.deadline_ms = s->egress->reactor.now_ms + STUB_TCP_MS
        };
	if (reactor_watch(&s->egress->reactor, &t->watch, fd, EPOLLIN))
		stub_sockets_end(t);
}

/* -- both ------------------------------------------------------------------------------- */

int stub_open(struct egress *g, int udp, int tcp, struct stub **out, struct err *e)
{
	struct stub *s = own_zeroed(1, sizeof(*s));

	s->egress = g;
	s->udp = udp;
	s->tcp = tcp;
	s->udp_watch = (struct watch){.fd = -1, .ready = stub_sockets_udp_ready};
	s->tcp_watch = (struct watch){.fd = -1, .ready = stub_sockets_tcp_ready};
	for (size_t i = 0; i < STUB_TCP_AT_ONCE; i++)
		s->streams[i] = (struct stub_stream){.fd = -1, .watch.fd = -1, .stub = s};
	*out = s;
	if (reactor_watch(&g->reactor, &s->udp_watch, udp, EPOLLIN) ||
	    reactor_watch(&g->reactor, &s->tcp_watch, tcp, EPOLLIN))
		return err_sys(e, "wait for questions");
	return 0;
}

bool stub_tick(struct stub *s)
{
	uint64_t now_ms = s->egress->reactor.now_ms;
	bool waits;

	if (s->retry_ms && s->retry_ms <= now_ms &&
	    !reactor_watch(&s->egress->reactor, &s->tcp_watch, s->tcp, EPOLLIN))
		s->retry_ms = 0;
	waits = s->retry_ms > 0;
	for (size_t i = 0; i < STUB_TCP_AT_ONCE; i++) {
		struct stub_stream *t = &s->streams[i];

		if (t->fd >= 0 && t->deadline_ms <= now_ms)
			stub_sockets_end(t);
		waits = waits || t->fd >= 0;
	}
	return waits;
}

void stub_close(struct stub *s)
{
	for (size_t i = 0; i < STUB_TCP_AT_ONCE; i++) {
		if (s->streams[i].fd >= 0)
			stub_sockets_end(&s->streams[i]);
	}
	reactor_forget(&s->egress->reactor, &s->udp_watch);
	reactor_forget(&s->egress->reactor, &s->tcp_watch);
	own_close(&s->udp);
	own_close(&s->tcp);
	free(s);
}
