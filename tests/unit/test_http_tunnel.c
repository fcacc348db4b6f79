/*
 * test_http_tunnel - connections after an upgrade: both halves, back-pressure, and their ends.
 */
#include "unit.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "loop/clock.h"
#include "web/http.h"

#define MUCH   (4u << 20) /* more than all buffers of a socket hold */
#define HOST   "Host: docker\r\n"
#define ASKS   "Connection: Upgrade\r\nUpgrade: tcp\r\n"
#define ATTACH "POST /echo HTTP/1.1\r\n" HOST ASKS "Content-Length: 0\r\n\r\n"

static struct hub *hub;
static struct http *http;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t address_size = sizeof(address);
static unsigned forgotten;
static unsigned abandoned;
static size_t heard; /* by a route */
static bool has_heard_all;
static struct request *paused;

/* -- the routes ------------------------------------------------------------------------------ */

static void abandon(struct request *r)
{
	(void)r;
	abandoned++;
}

static size_t echo_take(struct request *r, const char *bytes, size_t length)
{
	if (length)
		request_send(r, bytes, length);
	else
		request_end(r);
	return length;
}

static const struct duplex echo = {.take = echo_take};

static void echo_run(struct request *r)
{
	const bool asks = request_asks_upgrade(r, "tcp");

	r->abandon = abandon;
	request_upgrade(r, asks ? "tcp" : NULL, asks ? NULL : "application/octet-stream", &echo);
	request_send(r, r->body.data, r->body.length);
}

/* It takes ten bytes, and then none until it is told to go on. */
static size_t slow_take(struct request *r, const char *bytes, size_t length)
{
	(void)bytes;
	has_heard_all |= !length;
	if (paused || !length)
		return 0;
	paused = heard ? r : NULL;
	length = heard || length < 10 ? length : 10;
	heard += length;
	return length;
}

static const struct duplex slow = {.take = slow_take};

static void slow_run(struct request *r)
{
	r->abandon = abandon;
	request_upgrade(r, "tcp", NULL, &slow);
}

/* It ends its half at the first byte, with more to send than a socket takes, and hears no more. */
static size_t ended_take(struct request *r, const char *bytes, size_t length)
{
	static const char much[MUCH];

	(void)bytes;
	assert_null(paused);
	paused = r;
	request_send(r, much, sizeof(much));
	request_end(r);
	return length;
}

static const struct duplex ended = {.take = ended_take};

static void ended_run(struct request *r)
{
	request_upgrade(r, "tcp", NULL, &ended);
}

static size_t sent; /* by the source */
static size_t most; /* bytes that it has had on their way */

static void source_drained(struct request *r)
{
	static const char piece[50000];

	if (sent >= MUCH) {
		request_end(r);
		return;
	}
	request_send(r, piece, sizeof(piece));
	sent += sizeof(piece);
	if (request_unsent(r) > most)
		most = request_unsent(r);
}

static const struct duplex source = {.take = echo_take, .drained = source_drained};

static void source_run(struct request *r)
{
	r->abandon = abandon;
	request_upgrade(r, NULL, "application/vnd.docker.raw-stream", &source);
	source_drained(r);
}

static const struct route routes[] = {
	{"POST", "/echo",   echo_run,   1000, true,  NULL},
	{"POST", "/slow",   slow_run,   0,    true,  NULL},
	{"GET",  "/source", source_run, 0,    true,  NULL},
	{"POST", "/ended",  ended_run,  0,    true,  NULL},
	{NULL,   NULL,      NULL,       0,    false, NULL},
};

static void explain(unsigned status, const char *text, size_t length, struct buf *body)
{
	(void)status;
	buf_add(body, text, length);
}

static void dismiss(struct request *r)
{
	request_refuse(r, 503, "ending");
}

static void forget(struct request *r)
{
	(void)r;
	forgotten++;
}

static const struct site site = {.routes = routes,
				 .turn_away = dismiss,
				 .dismiss = dismiss,
				 .forget = forget,
				 .refusal_type = "text/plain",
				 .explain = explain};

/* -- a client -------------------------------------------------------------------------------- */

static int setup(void **state)
{
	struct http_options options = {.connections_max = 10,
				       .headers_ms = 60000,
				       .still_ms = 60000,
				       .listener_count = 1,
				       .listeners = {{.site = &site}}};
	struct err e;

	(void)state;
	heard = sent = most = 0;
	forgotten = abandoned = 0;
	has_heard_all = false;
	paused = NULL;
	address_size = sizeof(address);
	hub = hub_open(&e);
	assert_non_null(hub);
	options.listeners[0].fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(options.listeners[0].fd, (void *)&address, sizeof(sa_family_t)), 0);
	assert_int_equal(getsockname(options.listeners[0].fd, (void *)&address, &address_size), 0);
	assert_int_equal(listen(options.listeners[0].fd, 4), 0);
	assert_int_equal(http_open(hub, &options, &http, &e), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	http_close(http);
	hub_close(hub);
	return 0;
}

static void rung(void *context)
{
	(void)context;
}

/* Let the server go on as far as it can without us. */
static void turn(void)
{
	for (int i = 0; i < 20; i++) {
		struct hub_timer now = {.ring = rung};

		hub_ring(hub, &now, monotonic_us());
		hub_turn(hub);
		hub_silence(hub, &now);
	}
}

static int dial(const char *text)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (void *)&address, address_size), 0);
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
	turn();
	return fd;
}

/* Read what is there. Returns whether the server has ended its half. */
static bool hear(int fd, struct buf *said)
{
	static char bytes[65536];
	ssize_t n;

	do {
		while ((n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
			buf_add(said, bytes, (size_t)n);
		turn();
	} while (n && recv(fd, bytes, 1, MSG_DONTWAIT | MSG_PEEK) > 0);
	return !n || !recv(fd, bytes, 1, MSG_DONTWAIT);
}

static const char *body_of(const struct buf *said)
{
	const char *end = strstr(buf_string(said), "\r\n\r\n");

	return end ? end + 4 : "";
}

/* -- tests ----------------------------------------------------------------------------------- */

/* As docker's client does it: it ends its half when its input ends, and reads on. */
static void test_attach(void **state)
{
	auto_buf struct buf said = {0};
	auto_fd int fd = dial(ATTACH);

	(void)state;
	assert_int_equal(send(fd, "hello", 5, MSG_NOSIGNAL), 5);
	turn();
	assert_false(hear(fd, &said));
	assert_non_null(strstr(said.data, "HTTP/1.1 101 Switching Protocols\r\n"));
	assert_non_null(strstr(said.data, "\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"));
	assert_null(strstr(said.data, "Content-Length"));
	assert_null(strstr(said.data, "chunked"));
	assert_string_equal(body_of(&said), "hello");
	assert_int_equal(send(fd, " again", 6, MSG_NOSIGNAL), 6);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	turn();
	assert_true(hear(fd, &said));
	assert_string_equal(body_of(&said), "hello again");
	assert_int_equal(forgotten, 1);
	assert_int_equal(abandoned, 0);
}

/* dockerode sends bytes of the stream at once, behind a body with a length. */
static void test_bytes_behind_a_body(void **state)
{
	auto_buf struct buf said = {0};
	auto_fd int fd = dial("POST /echo HTTP/1.1\r\n" HOST ASKS
			      "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}early");

	(void)state;
	assert_false(hear(fd, &said));
	assert_string_equal(body_of(&said), "{}early");
}

/* An older client asks for no upgrade: the reply is 200, and the stream is the same. */
static void test_without_an_upgrade(void **state)
{
	auto_buf struct buf said = {0};
	auto_fd int fd = dial("POST /echo HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\nraw");

	(void)state;
	assert_false(hear(fd, &said));
	assert_non_null(strstr(said.data, "HTTP/1.1 200 OK\r\n"));
	assert_non_null(strstr(said.data, "Content-Type: application/octet-stream\r\n"));
	assert_string_equal(body_of(&said), "raw");
}

static void test_a_request_that_asks_is_told_from_others(void **state)
{
	static const char *const others[] = {
		"Connection: keep-alive\r\nUpgrade: tcp\r\n",
		"Connection: Upgrade\r\n",
		"Upgrade: tcp\r\n",
		"Connection: Upgrade\r\nUpgrade: websocket\r\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(others); i++) {
		auto_free char *text =
			own_printf("POST /echo HTTP/1.1\r\n" HOST "%s\r\n", others[i]);
		auto_buf struct buf said = {0};
		auto_fd int fd = dial(text);

		(void)hear(fd, &said);
		assert_non_null(strstr(said.data, "HTTP/1.1 200 "));
	}
}

/* A route that takes nothing has the client wait, and hears its end behind all it has sent. */
static void test_a_route_that_pauses(void **state)
{
	static const char much[65536];
	auto_fd int fd = dial("POST /slow HTTP/1.1\r\n" HOST ASKS "\r\n");
	size_t given = 0;
	ssize_t n;

	(void)state;
	while ((n = send(fd, much, sizeof(much), MSG_NOSIGNAL | MSG_DONTWAIT)) > 0 ||
	       given < 2 * sizeof(much)) {
		given += n > 0 ? (size_t)n : 0;
		turn();
		if (n < 0 && errno == EAGAIN && paused)
			break;
	}
	assert_non_null(paused);
	assert_true(heard < given);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	while (!has_heard_all && paused) {
		struct request *r = paused;

		paused = NULL;
		request_resume(r);
		turn();
	}
	assert_true(has_heard_all);
	assert_int_equal(heard, given);
}

/* A client that does not read holds the source up, which has little on its way. */
static void test_a_client_that_does_not_read(void **state)
{
	auto_buf struct buf said = {0};
	auto_fd int fd = dial("GET /source HTTP/1.1\r\n" HOST "\r\n");

	(void)state;
	turn();
	assert_true(sent < MUCH);
	assert_false(forgotten);
	while (!hear(fd, &said))
		;
	assert_true(sent >= MUCH);
	assert_int_equal(said.length - (size_t)(body_of(&said) - said.data), sent);
	assert_true(most <= 100000);
	assert_int_equal(forgotten, 1);
}

/* Nothing is offered to a route that has ended, though its bytes are still on their way. */
static void test_a_route_that_has_ended(void **state)
{
	auto_buf struct buf said = {0};
	auto_fd int fd = dial("POST /ended HTTP/1.1\r\n" HOST ASKS "\r\na");

	(void)state;
	assert_non_null(paused);
	assert_int_equal(send(fd, "more", 4, MSG_NOSIGNAL), 4);
	turn();
	while (!hear(fd, &said))
		;
	assert_int_equal(said.length - (size_t)(body_of(&said) - said.data), MUCH);
	assert_int_equal(forgotten, 1);
}

static void test_a_client_that_leaves(void **state)
{
	int fd = dial(ATTACH);

	(void)state;
	assert_int_equal(send(fd, "unread", 6, MSG_NOSIGNAL), 6);
	turn();
	own_close(&fd); /* with bytes unread */
	turn();
	assert_int_equal(forgotten, 1);
	assert_int_equal(abandoned, 1);
}

static void test_a_server_that_ends(void **state)
{
	auto_fd int fd = dial(ATTACH);

	(void)state;
	http_close(http);
	http = NULL;
	assert_int_equal(forgotten, 1);
	assert_int_equal(abandoned, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_attach, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bytes_behind_a_body, setup, teardown),
		cmocka_unit_test_setup_teardown(test_without_an_upgrade, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_request_that_asks_is_told_from_others, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_route_that_pauses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_client_that_does_not_read, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_route_that_has_ended, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_client_that_leaves, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_server_that_ends, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
