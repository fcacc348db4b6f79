/*
 * bench-http - requests to `glovebox serve` on one connection that is kept, and how long each
 * takes.
 *
 *   bench-http [-n COUNT] [-p PAUSE_MS] PORT BODY EXPECTED
 *
 * BODY is what is sent to /v1/execute, and EXPECTED what its reply must contain. One line per
 * request: microseconds from the first byte that is sent to the last that is received. The client
 * is as little of one as can be, because its own time counts, too: what is measured is what HTTP
 * adds to bench-warm -s.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/own.h"
#include "loop/clock.h"

#define REPLY_MAX 65536

static int fail(const char *what)
{
	fprintf(stderr, "bench-http: %s\n", what);
	return -1;
}

static int dial(long port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((uint16_t)port),
				      .sin_addr = {htonl(INADDR_LOOPBACK)}};
	auto_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int one = 1;

	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		return fail("nobody listens on that port");
	return take_fd(&fd);
}

/* How long the reply is, once its headers are here; 0: they are not. */
static size_t reply_length(const char *reply)
{
	const char *body = strstr(reply, "\r\n\r\n");
	const char *length = body ? strcasestr(reply, "\ncontent-length:") : NULL;

	return length && length < body
		       ? (size_t)(body + 4 - reply) + strtoul(strchr(length, ':') + 1, NULL, 10)
		       : 0;
}

static int receive(int fd, const char *expected)
{
	static char reply[REPLY_MAX];
	size_t have = 0;
	size_t whole = 0;

	while (!whole || have < whole) {
		ssize_t n = read(fd, reply + have, sizeof(reply) - 1 - have);

		if (n <= 0)
			return fail("the connection has ended");
		have += (size_t)n;
		reply[have] = '\0';
		whole = whole ? whole : reply_length(reply);
	}
	return strncmp(reply, "HTTP/1.1 200 ", 13) != 0 || !strstr(reply, expected) ? fail(reply)
										    : 0;
}

static int ask(int fd, const struct buf *request, const char *expected, uint64_t *us)
{
	const uint64_t began = monotonic_us();

	if (io_write_all(fd, request->data, request->length))
		return fail("the request cannot be sent");
	if (receive(fd, expected))
		return -1;
	*us = monotonic_us() - began;
	return 0;
}

int main(int argc, char **argv)
{
	auto_buf struct buf request = {0};
	auto_fd int fd = -1;
	long count = 1;
	long pause = 0;
	uint64_t us;
	int flag;

	while ((flag = getopt(argc, argv, "+n:p:")) != -1) {
		if (flag == '?')
			return 2;
		*(flag == 'n' ? &count : &pause) = strtol(optarg, NULL, 10);
	}
	if (argc - optind != 3)
		return fail("usage: bench-http [-n COUNT] [-p PAUSE_MS] PORT BODY EXPECTED"), 2;
	fd = dial(strtol(argv[optind], NULL, 10));
	buf_printf(
		&request,
		"POST /v1/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
		"Content-Length: %zu\r\n\r\n%s",
		strlen(argv[optind + 1]), argv[optind + 1]);
	for (long n = 0; fd >= 0 && n < count; n++) {
		clock_pause_us((uint64_t)pause * 1000);
		if (ask(fd, &request, argv[optind + 2], &us))
			return 1;
		printf("%llu\n", (unsigned long long)us);
	}
	return fd < 0;
}
