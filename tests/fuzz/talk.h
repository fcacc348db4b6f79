/*
 * talk - a server for HTTP in this process, and a connection to it, for harnesses.
 *
 * Whatever is sent, each request that begins ends.
 */
#ifndef GLOVEBOX_TESTS_TALK_H
#define GLOVEBOX_TESTS_TALK_H

#include "fuzz.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/json_put.h"
#include "loop/clock.h"
#include "web/http.h"

#define TICK_US 50000

static struct hub *hub;
static struct http *http;
static struct sockaddr_un address;
static socklen_t address_size = sizeof(address);
static unsigned begun, forgotten;

/* What it does of a request beside its route; set before talk_open(). */
static bool (*talk_admit)(struct request *r);

static void talk_begin(struct request *r)
{
	(void)r;
	begun++;
}

static bool talk_admit_all(struct request *r)
{
	return !talk_admit || talk_admit(r);
}

static void talk_forget(struct request *r)
{
	(void)r;
	forgotten++;
}

static void talk_explain(unsigned status, const char *text, size_t length, struct buf *body)
{
	(void)status;
	json_put_begin(body, NULL, '{');
	json_put_bytes(body, "detail", text, length);
	json_put_end(body, '}');
}

static inline void talk_open(const struct route *routes, struct server *server)
{
	static struct site site = {.begin = talk_begin,
				   .admit = talk_admit_all,
				   .forget = talk_forget,
				   .refusal_type = "application/json",
				   .explain = talk_explain};
	struct http_options options = {
		.connections_max = 10,
		.swallow_max = 1 << 20,
		.headers_ms = 60000,
		.still_ms = 60000,
		.server = server,
		.listeners = {{.site = &site}},
		.listener_count = 1,
	};
	struct err e;

	site.routes = routes;
	address.sun_family = AF_UNIX; /* without a name it is given one that is no file */
	options.listeners[0].fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	MUST(!bind(options.listeners[0].fd, (struct sockaddr *)&address, sizeof(sa_family_t)));
	MUST(!getsockname(options.listeners[0].fd, (struct sockaddr *)&address, &address_size));
	MUST(!listen(options.listeners[0].fd, 4));
	MUST(!http_open(hub, &options, &http, &e));
}

static void talk_rung(void *context)
{
	(void)context;
}

static void talk_turn(void)
{
	struct hub_timer tick = {.ring = talk_rung};

	hub_ring(hub, &tick, monotonic_us() + TICK_US);
	hub_turn(hub);
	hub_silence(hub, &tick);
}

/* As much as is there. Returns false at the end. */
static bool talk_hear(int fd, struct buf *said)
{
	char bytes[4096];
	ssize_t n;

	while ((n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
		buf_add(said, bytes, (size_t)n);
	return n < 0 && errno == EAGAIN;
}

/*
 * Send it all, and hear what is said until the server has closed the connection.
 * @closes  whether we say that there is no more: to what works on the request we have left then.
 */
static inline void talk(const struct buf *text, bool closes, struct buf *said)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t sent = 0;

	MUST(!connect(fd, (struct sockaddr *)&address, address_size));
	do {
		ssize_t n = send(fd, text->data + sent, text->length - sent,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		sent += n > 0 ? (size_t)n : 0;
		if (closes && (sent == text->length || (n < 0 && errno != EAGAIN)))
			shutdown(fd, SHUT_WR);
		talk_turn();
	} while (talk_hear(fd, said));
	close(fd);
	while (!http_is_idle(http))
		talk_turn();
	MUST(begun == forgotten);
}

#endif
