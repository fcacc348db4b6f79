/*
 * flow_relay - relay the bytes of a connection: through its gate, or unread once that is open.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "egress/flow_parts.h"
#include "protocol/tls_alert.h"

#define FLOW_READ     (16 << 10)
#define FLOW_MAX_HELD (64 << 20) /* client bytes of all flows that wait for a gate's verdict */
#define FLOW_ROUNDS   8          /* reads per turn, before another connection has its turn */

/* -- what may move ---------------------------------------------------------------------- */

static size_t flow_relay_allowance(struct flow *f)
{
	struct egress *g = f->egress;
	size_t allowed = meter_allows(&g->meter, g->reactor.now_ms);

	if (!allowed)
		g->is_throttled = f->sleeps = true;
	if (g->share && allowed > g->share)
		allowed = g->share;
	return allowed < g->bytes_left ? allowed : (size_t)g->bytes_left;
}

static void flow_relay_count(struct flow *f, uint64_t *sum, size_t bytes)
{
	struct egress *g = f->egress;

	*sum += bytes;
	meter_take(&g->meter, bytes);
	if (g->bytes_left != UINT64_MAX)
		g->bytes_left -= bytes < g->bytes_left ? bytes : g->bytes_left;
	if (bytes && f->deadline_ms != UINT64_MAX && f->stage == FLOW_RELAY)
		f->deadline_ms = g->reactor.now_ms + FLOW_HALF_MS;
}

/*
 * Read what the socket has. Returns the bytes; 0: nothing now, or the end, which `ended` tells; -1.
 */
static ssize_t flow_relay_read(struct flow *f, int fd, char *into, size_t room, bool *ended)
{
	size_t allowed = flow_relay_allowance(f);
	ssize_t n;

	if (!allowed || !room)
		return 0;
	n = recv(fd, into, room < allowed ? room : allowed, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	*ended = n == 0;
	return n;
}

static ssize_t flow_relay_write(int fd, const char *bytes, size_t size)
{
	ssize_t n = size ? send(fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;

	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : n;
}

/* -- through the gate ------------------------------------------------------------------- */

/* End a flow without recording a refusal. */
static const char *flow_relay_broken(struct flow *f, const char *reason)
{
	f->is_broken = true;
	return reason;
}

/* Each of these returns why the flow must end, or NULL. */
static const char *flow_relay_gate_send(struct flow *f)
{
	struct gate *g = f->gate;
	ssize_t n;

	if (f->stage != FLOW_RELAY)
		return NULL;
	do {
		n = flow_relay_write(f->server_fd, buf_string(&g->held), g->judged);
		if (n < 0)
			return flow_relay_broken(f, "the host has ended the connection");
		if (n && gate_sent(g, (size_t)n))
			return g->why;
	} while (n > 0);
	/* Drop an incomplete head: the client has closed. */
	if (f->out.ended && !g->judged && g->held.length)
		return "the client has left in the middle of a request";
	if (!g->held.length)
		lane_finish(&f->out);
	return NULL;
}

static const char *flow_relay_gate_read(struct flow *f)
{
	struct gate *g = f->gate;
	char bytes[FLOW_READ];
	size_t room = gate_room(g);
	ssize_t n = 0;

	if (f->egress->held > FLOW_MAX_HELD && f->held)
		return "too much is held of requests that are not whole";
	if (!f->out.ended && !f->sleeps)
		n = flow_relay_read(f, f->client_fd, bytes,
				    room < sizeof(bytes) ? room : sizeof(bytes), &f->out.ended);
	if (n < 0)
		return flow_relay_broken(f, "the client has reset the connection");
	flow_relay_count(f, &f->bytes_out, (size_t)n);
	if (n && gate_client(g, bytes, (size_t)n))
		return g->why;
	if (f->out.ended && f->stage == FLOW_GATE)
		return "the client left without a word";
	return flow_relay_gate_send(f);
}

/* Send the server's bytes to the client, as far as it takes them. */
static const char *flow_relay_answer_send(struct flow *f)
{
	ssize_t n = flow_relay_write(f->client_fd, buf_string(&f->answer), f->answer.length);

	if (n > 0) {
		f->answer.length -= (size_t)n;
		memmove(f->answer.data, f->answer.data + n, f->answer.length);
	}
	return n < 0 ? flow_relay_broken(f, "the client has ended the connection") : NULL;
}

/* Read the server's next bytes and show them to the gate. @n: out: how many. */
static const char *flow_relay_answer_read(struct flow *f, ssize_t *n)
{
	char bytes[FLOW_READ];

	*n = f->in.ended || f->sleeps
		     ? 0
		     : flow_relay_read(f, f->server_fd, bytes, sizeof(bytes), &f->in.ended);
	if (*n < 0)
		return flow_relay_broken(f, "the host has reset the connection");
	flow_relay_count(f, &f->bytes_in, (size_t)*n);
	buf_add(&f->answer, bytes, (size_t)*n);
	return *n && gate_server(f->gate, bytes, (size_t)*n) ? f->gate->why : NULL;
}

/* Once the gate is open for the server, the next call pumps the rest. */
static const char *flow_relay_gate_answer(struct flow *f)
{
	const char *reason = flow_relay_answer_send(f);
	ssize_t n = 1;

	for (int i = 0; n && i < FLOW_ROUNDS && !reason && !f->answer.length; i++) {
		if (gate_server_is_open(f->gate))
			return NULL;
		reason = flow_relay_answer_read(f, &n);
		if (!reason)
			reason = flow_relay_answer_send(f);
	}
	if (!reason && !f->answer.length)
		lane_finish(&f->in);
	return reason;
}

/* -- unseen ----------------------------------------------------------------------------- */

static const char *flow_relay_pump(struct flow *f, struct lane *lane, uint64_t *sum)
{
	size_t moved = 0;
	size_t allowed = f->sleeps || lane->ended ? 0 : flow_relay_allowance(f);
	enum lane_result result = lane_pump(lane, &f->egress->pipes, allowed, &moved);

	flow_relay_count(f, sum, moved);
	switch (result) {
	case LANE_OK:
		return NULL;
	case LANE_BROKEN:
		return flow_relay_broken(f, "the connection was reset");
	case LANE_NO_PIPE:
		break;
	}
	return "no descriptor is left for it";
}

/* Peek: the bytes stay in the socket. */
static void flow_relay_watch(struct flow *f)
{
	uint8_t bytes[TLS_ALERT_LOOK];
	ssize_t n = recv(f->client_fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

	enum tls_alert alert = n > 0 ? tls_alert_look(bytes, (size_t)n) : TLS_ALERT_MORE;

	f->distrusts = alert == TLS_ALERT_CERTIFICATE;
	f->is_watched = alert == TLS_ALERT_MORE;
}

static const char *flow_relay_out(struct flow *f)
{
	const char *reason = NULL;

	if (f->gate && !gate_client_is_open(f->gate))
		reason = flow_relay_gate_read(f);
	if (reason || (f->gate && !gate_client_is_open(f->gate)))
		return reason;
	if (f->is_watched)
		flow_relay_watch(f);
	return flow_relay_pump(f, &f->out, &f->bytes_out);
}

static const char *flow_relay_in(struct flow *f)
{
	if (f->gate && (f->answer.length || !gate_server_is_open(f->gate)))
		return flow_relay_gate_answer(f);
	return flow_relay_pump(f, &f->in, &f->bytes_in);
}

/* -- both ------------------------------------------------------------------------------- */

static bool flow_relay_has_room(const struct flow *f)
{
	if (f->gate && !gate_client_is_open(f->gate))
		return gate_room(f->gate) > 0;
	return !f->out.held;
}

static bool flow_relay_is_blocked(const struct flow *f)
{
	return f->out.held || (f->gate && f->gate->judged);
}

void flow_arrange(struct flow *f)
{
	struct reactor *r = &f->egress->reactor;
	uint32_t client = 0;
	uint32_t server = 0;
	bool reads = !f->sleeps;

	if (f->stage == FLOW_GATE)
		client = reads ? EPOLLIN : 0;
	if (f->stage == FLOW_PROXY)
		server = EPOLLIN;
	if (f->stage == FLOW_RELAY) {
		client = (reads && !f->out.ended && flow_relay_has_room(f) ? EPOLLIN : 0u) |
			 (f->in.held || f->answer.length ? EPOLLOUT : 0u);
		server =
			(reads && !f->in.ended && !f->in.held && !f->answer.length ? EPOLLIN : 0u) |
			(flow_relay_is_blocked(f) ? EPOLLOUT : 0u);
	}
	if (reactor_watch(r, &f->client, f->client_fd, client) ||
	    ((f->stage == FLOW_RELAY || f->stage == FLOW_PROXY) &&
	     reactor_watch(r, &f->server, f->server_fd, server)))
		flow_end(f, "no memory is left for it");
}

static void flow_relay_leave_gate(struct flow *f)
{
	if (!f->gate || !gate_client_is_open(f->gate) || f->answer.length)
		return;
	gate_fini(f->gate);
	free(f->gate);
	f->gate = NULL;
}

/* Whether the first hello, or head, is complete and allowed. */
static bool flow_relay_may_go_out(const struct flow *f)
{
	return f->stage == FLOW_GATE && f->gate->judged;
}

static void flow_relay_account(struct flow *f)
{
	size_t held = f->gate ? f->gate->held.length : 0;

	f->egress->held += held - f->held;
	f->held = held;
}

void flow_relay(struct flow *f)
{
	/*
	 * Relay the server's answer first: the gate may need it before it admits more client bytes.
	 */
	const char *reason = f->stage == FLOW_RELAY ? flow_relay_in(f) : NULL;

	if (!reason)
		reason = flow_relay_out(f);
	if (!reason && !f->egress->bytes_left)
		reason = "the limit of bytes is reached (--egress-bytes)";
	flow_relay_account(f);
	if (!reason && f->out.shut && f->in.shut && f->is_published) {
		flow_drain(f);
		return;
	}
	if (reason || (f->out.shut && f->in.shut)) {
		flow_end(f, reason);
		return;
	}
	if (flow_relay_may_go_out(f)) {
		flow_resolve(f);
		return;
	}
	if ((f->out.shut || f->in.shut) && f->deadline_ms == UINT64_MAX)
		f->deadline_ms = f->egress->reactor.now_ms + FLOW_HALF_MS;
	flow_relay_leave_gate(f);
	flow_arrange(f);
}
