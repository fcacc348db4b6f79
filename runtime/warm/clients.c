/*
 * clients - the connections to the warm supervisor.
 */
#include "warm/clients.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "loop/clock.h"
#include "warm/requests.h"

#define SILENCE_US      30000000 /* of a new connection without a request */
#define ACCEPT_PAUSE_US 50000
#define ACCEPTS         64 /* per turn: a flood of connections must not delay other clients */
#define RESERVE_BYTES   (8u << 20) /* more than the largest request and its answer need */
/* descriptors that a returned session may bring, and those to check it */
#define RETURN_FDS (SESSION_MAX_CHECKPOINTS + 1 + 2)

unsigned clients_waiting(const struct supervisor *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->client_count; i++)
		n += s->clients[i].request && s->clients[i].request->op == OP_CELL;
	return n;
}

unsigned clients_waiting_for(const struct supervisor *s, bool as_caller)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->client_count; i++) {
		const struct op_request *r = s->clients[i].request;

		n += r && r->op == OP_CELL && r->cell.as_caller == as_caller;
	}
	return n;
}

unsigned clients_want(const struct supervisor *s, bool as_caller)
{
	const unsigned pool = s->options->pool;
	const unsigned callers = s->was_as_caller && pool > 1;

	if (!pool_has_kinds(&s->pool))
		return as_caller ? 0 : pool + clients_waiting(s);
	return clients_waiting_for(s, as_caller) + (as_caller ? callers : pool - callers);
}

static void clients_forget_request(struct client *c)
{
	if (c->request)
		op_request_fini(c->request);
	own_free(&c->request);
}

void clients_drop(struct supervisor *s, unsigned index)
{
	sessions_leave(&s->sessions, s->clients[index].number);
	sessions_unvisit(&s->sessions, s->clients[index].visits);
	own_close(&s->clients[index].fd);
	clients_forget_request(&s->clients[index]);
	s->client_count--;
	memmove(&s->clients[index], &s->clients[index + 1],
		(s->client_count - index) * sizeof(s->clients[0]));
}

static bool clients_is_ours(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.uid == geteuid();
}

/* Accept, with a spare descriptor if we are out of others. -1: not now. */
static int clients_accept_one(struct supervisor *s)
{
	for (;;) {
		/* cppcheck-suppress nullPointer ; the address is not needed (accept4(2)) */
		int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0 || !spare_fds_are_wanted())
			return fd;
		if (s->spare.count <= RETURN_FDS) {
			s->accept_after_us =
				monotonic_us() + ACCEPT_PAUSE_US; /* otherwise poll() would spin */
			return -1;
		}
		spare_fds_release(&s->spare, s->spare.count - 1);
	}
}

/*
 * Refuse a connection without reading its request. Closing a socket with unread data is a reset for
 * its peer, which would hide our answer (unix_release_sock(), net/unix/af_unix.c), so the data is
 * read and dropped.
 */
static void clients_refuse_new(int fd, const struct err *e)
{
	char byte;

	(void)recv(fd, &byte, sizeof(byte), MSG_DONTWAIT);
	request_refuse(fd, e);
}

void clients_accept(struct supervisor *s)
{
	s->accept_after_us = 0;
	for (int i = 0; i < ACCEPTS; i++) {
		auto_fd int fd = clients_accept_one(s);

		if (fd < 0)
			return;
		if (!clients_is_ours(fd))
			continue;
		if (s->client_count == MAX_CLIENTS) {
			struct err e;

			err_set(&e, ERR_BUSY,
				"the warm supervisor has too many requests: try again in a second");
			clients_refuse_new(fd, &e);
			continue;
		}
		s->clients[s->client_count++] = (struct client){
			.fd = take_fd(&fd), .number = ++s->next_client, .since_us = monotonic_us()};
	}
}

/* Serve its waiting request. true: the connection is done. */
static bool clients_serve_client(struct supervisor *s, struct client *c, uint64_t now_us)
{
	enum outcome outcome = request_serve(s, c, now_us);

	if (outcome == OUTCOME_WAITS)
		return false;
	clients_forget_request(c);
	return outcome == OUTCOME_DONE;
}

/* The client has sent a request; an error in it concerns this client only. */
static int clients_take_request(struct client *c, struct wire_message *m, struct err *e)
{
	struct op_request request;

	if (op_request_read(m, &request, e))
		return -1;
	if ((operations[request.op].sender == SENDER_BORROWER) != c->has_loan) {
		op_request_fini(&request);
		return err_set(e, ERR_DENIED, "it has %s session, and asks for \"%s\"",
			       c->has_loan ? "a" : "no", operations[request.op].name);
	}
	c->request = own_zeroed(1, sizeof(*c->request));
	*c->request = request;
	return 0;
}

/* 1; 0: it has closed the connection; -1: *e is the answer. */
static int clients_receive(struct supervisor *s, struct client *c, struct err *e)
{
	struct wire_message m;
	int got;

	/* A borrowed session that is returned must be received, or it would be lost. */
	if (c->has_loan)
		spare_fds_release(&s->spare, 0);
	got = wire_receive(c->fd, &m, e);
	if (got > 0 && !c->request && !c->stays)
		got = clients_take_request(c, &m, e) ? -1 : 1;
	else
		got = 0;
	wire_fini(&m);
	return got;
}

/* Drop a waiting client that closes the connection or sends a second request. */
bool clients_attend(struct supervisor *s, unsigned index)
{
	struct client *c = &s->clients[index];
	struct err e;
	int heard;

	if (!c->has_loan && own_reserve(RESERVE_BYTES)) {
		err_set(&e, ERR_LIMIT, "the warm supervisor has no memory left: try again later");
		clients_refuse_new(c->fd, &e);
		return true;
	}
	heard = clients_receive(s, c, &e);
	if (heard)
		s->last_request_us = monotonic_us();
	if (heard < 0)
		request_refuse(c->fd, &e);
	return heard <= 0;
}

/* true: the connection is done. */
static bool clients_serve_one(struct supervisor *s, struct client *c, uint64_t now_us)
{
	if (c->request)
		return clients_serve_client(s, c, now_us);
	return !c->has_loan && !c->stays && now_us - c->since_us > SILENCE_US;
}

/* Serve all clients, oldest first where the order matters. */
void clients_serve(struct supervisor *s)
{
	for (unsigned i = 0; i < s->client_count;) {
		if (clients_serve_one(s, &s->clients[i], monotonic_us()))
			clients_drop(s, i);
		else
			i++;
	}
	(void)spare_fds_fill(&s->spare);
}
