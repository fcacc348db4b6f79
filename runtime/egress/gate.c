/*
 * gate - admit only client bytes that are known to be for the connection's name.
 */
#include "egress/gate.h"

#include <string.h>

#include "host/omit.h"

void gate_init(struct gate *g, enum egress_kind kind, const char *name, uint16_t port)
{
	*g = (struct gate){.kind = kind, .name = name};
	switch (kind) {
	case EGRESS_TLS:
		g->wait = GATE_HELLO;
		break;
	case EGRESS_HTTP:
		g->wait = GATE_FOLLOW;
		http_follower_init(&g->http, name, port);
		break;
	case EGRESS_RAW:
		g->wait = GATE_OPEN;
		break;
	}
}

void gate_fini(struct gate *g)
{
	buf_fini(&g->held);
}

static int gate_refuse(struct gate *g, const char *why)
{
	g->why = why;
	return -1;
}

/* -- TLS -------------------------------------------------------------------------------- */

/* Hold what follows a hello: it could be a second hello, sent before the server asked for one. */
static int gate_judge_hello(struct gate *g, const void *bytes, size_t size)
{
	switch (hello_feed(&g->hello, bytes, size)) {
	case HELLO_MORE:
		return 0;
	case HELLO_REFUSED:
		return gate_refuse(g, g->hello.why);
	case HELLO_NAMED:
		break;
	}
	if (strcmp(g->hello.name, g->name) != 0)
		return gate_refuse(g, "the TLS hello names another host");
	g->judged += g->hello.used;
	g->answer = (struct server_hello_reader){0};
	g->wait = GATE_ANSWER;
	return 0;
}

static int gate_judge_answer(struct gate *g, const void *bytes, size_t size)
{
	enum server_hello_state answer = server_hello_feed(&g->answer, bytes, size);

	if (answer == SERVER_RETRY && host_omits("egress-second-hello"))
		answer = SERVER_FINAL;
	switch (answer) {
	case SERVER_MORE:
		return 0;
	case SERVER_FINAL:
		g->judged = g->held.length;
		g->wait = GATE_OPEN;
		return 0;
	case SERVER_RETRY:
		break;
	}
	g->hello = (struct hello_reader){.may_skip_ccs = true};
	g->wait = GATE_HELLO;
	/* Judge the client's bytes since its first hello like those after the retry. */
	return gate_judge_hello(g, buf_string(&g->held) + g->judged, g->held.length - g->judged);
}

/* -- both ------------------------------------------------------------------------------- */

static int gate_follow(struct gate *g)
{
	ssize_t n;

	do {
		n = http_follow(&g->http, (const uint8_t *)buf_string(&g->held) + g->judged,
				g->held.length - g->judged);
		if (n < 0)
			return gate_refuse(g, g->http.why);
		g->judged += (size_t)n;
	} while (n && g->judged < g->held.length);
	return 0;
}

int gate_client(struct gate *g, const void *bytes, size_t size)
{
	buf_add(&g->held, bytes, size);
	switch (g->wait) {
	case GATE_HELLO:
		return gate_judge_hello(g, bytes, size);
	case GATE_FOLLOW:
		return gate_follow(g);
	case GATE_ANSWER:
		return 0;
	case GATE_OPEN:
		g->judged = g->held.length;
		return 0;
	}
	return -1;
}

int gate_server(struct gate *g, const void *bytes, size_t size)
{
	int status;

	if (g->wait == GATE_ANSWER)
		return gate_judge_answer(g, bytes, size);
	if (g->wait != GATE_FOLLOW || gate_server_is_open(g))
		return 0;
	status = answer_feed(&g->status, bytes, size);
	if (status < 0)
		return gate_refuse(g, "the answer to an Upgrade is no HTTP");
	if (!status)
		return 0;
	http_follower_answered(&g->http, status);
	if (status == 101)
		g->wait = GATE_OPEN;
	return gate_client(g, "", 0);
}

int gate_sent(struct gate *g, size_t size)
{
	g->held.length -= size;
	g->judged -= size;
	memmove(g->held.data, g->held.data + size, g->held.length);
	if (!g->held.length)
		buf_fini(&g->held); /* idle connections hold no memory */
	return g->wait == GATE_FOLLOW && g->held.length > g->judged ? gate_follow(g) : 0;
}

size_t gate_room(const struct gate *g)
{
	return g->held.length < GATE_MAX_HELD ? GATE_MAX_HELD - g->held.length : 0;
}

bool gate_client_is_open(const struct gate *g)
{
	return g->wait == GATE_OPEN && !g->held.length;
}

bool gate_server_is_open(const struct gate *g)
{
	return g->wait == GATE_OPEN ||
	       (g->wait == GATE_FOLLOW && (!g->http.upgrade_asked || g->status.status));
}
