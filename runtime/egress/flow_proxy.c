/*
 * flow_proxy - connect a flow through a proxy: send CONNECT, and take exactly the answer's head off
 * the connection.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include "egress/flow_parts.h"

#define FLOW_PROXY_READ 2048

/* A proxy that closes before a complete reply is a failure, not a refusal. */
static void flow_proxy_is_gone(struct flow *f)
{
	f->is_broken = true;
	flow_end(f, "the proxy has ended the connection");
}

void flow_proxy_ask(struct flow *f)
{
	struct egress *g = f->egress;
	auto_buf struct buf request = {0};

	f->stage = FLOW_PROXY;
	f->deadline_ms = g->reactor.now_ms + FLOW_CONNECT_MS;
	proxy_request(&g->proxy, f->name ? f->name->text : NULL, &f->asked, f->port, &request);
	/* A new connection's queue is empty and holds more than this. */
	if (send(f->server_fd, request.data, request.length, MSG_DONTWAIT | MSG_NOSIGNAL) !=
	    (ssize_t)request.length)
		flow_proxy_is_gone(f);
	else
		flow_arrange(f);
}

static void flow_proxy_refuse(struct flow *f)
{
	const struct proxy_answer *a = &f->proxy_answer;
	char reason[100];

	if (a->why)
		snprintf(reason, sizeof(reason), "the proxy: %s", a->why);
	else
		snprintf(reason, sizeof(reason), "the proxy refused it: status %d",
			 a->status.status);
	f->is_broken = false;
	flow_end(f, reason);
}

/* Peek first, then take only the head: the bytes after it stay in the queue for the relay. */
void flow_proxy_answered(struct flow *f)
{
	uint8_t bytes[FLOW_PROXY_READ];
	ssize_t n = recv(f->server_fd, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_PEEK);
	enum proxy_answer_state state;
	size_t used;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		flow_proxy_is_gone(f);
		return;
	}
	state = proxy_answer_feed(&f->proxy_answer, bytes, (size_t)n, &used);
	if (recv(f->server_fd, bytes, used, MSG_DONTWAIT) != (ssize_t)used)
		flow_proxy_is_gone(f);
	else if (state == PROXY_REFUSED)
		flow_proxy_refuse(f);
	else if (state == PROXY_OPEN)
		flow_stands(f);
}
