/*
 * test_wire - messages arrive whole or not at all, and no descriptor leaks.
 */
#include "unit.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/own.h"
#include "wire/wire.h"

static struct err e;
static int ends[2];
static unsigned open_before;

static int connect_ends(void **state)
{
	(void)state;
	open_before = unit_count_open();
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends);
}

/* Whatever a test has done, nothing is left open. */
static int close_ends(void **state)
{
	(void)state;
	own_close(&ends[0]);
	own_close(&ends[1]);
	assert_int_equal(unit_count_open(), open_before);
	return 0;
}

/* A message as anybody could send it. */
static void send_raw(const void *text, size_t length, const int *fds, unsigned count)
{
	union {
		char bytes[CMSG_SPACE(200 * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec body = {(void *)text, length};
	struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1};

	if (count) {
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.align), fds, count * sizeof(int));
	}
	assert_int_equal(sendmsg(ends[0], &message, MSG_NOSIGNAL), length);
}

static int same_file(int a, int b)
{
	struct stat one;
	struct stat other;

	assert_int_equal(fstat(a, &one), 0);
	assert_int_equal(fstat(b, &other), 0);
	return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static void must_receive(const char *text, size_t length, unsigned fd_count)
{
	struct wire_message m;

	e = (struct err){0};
	if (wire_receive(ends[1], &m, &e) != 1)
		fail_msg("not received: %s", e.text);
	assert_int_equal(m.text.length, length);
	assert_memory_equal(buf_string(&m.text), text, length);
	assert_int_equal(m.fd_count, fd_count);
	wire_fini(&m);
}

static void must_fail(enum err_kind kind, const char *text)
{
	unsigned before = unit_count_open();
	struct wire_message m;

	refuses(wire_receive(ends[1], &m, &e) == -1, text, kind, text);
	assert_int_equal(m.fd_count, 0);
	assert_int_equal(m.text.length, 0);
	assert_null(m.text.data);
	assert_int_equal(unit_count_open(), before);
	wire_fini(&m);
}

static void test_text_arrives_message_by_message(void **state)
{
	(void)state;
	accepts(wire_send(ends[0], "{\"a\":1}", 7, NULL, 0, &e), "text");
	accepts(wire_send(ends[0], "n\0l", 3, NULL, 0, &e), "any bytes");
	accepts(wire_send(ends[0], "x", 1, NULL, 0, &e), "one byte");
	must_receive("{\"a\":1}", 7, 0);
	must_receive("n\0l", 3, 0);
	must_receive("x", 1, 0);
	must_fail(ERR_SYSTEM, "receive a message");
	assert_int_equal(e.number, EAGAIN);
}

static void test_both_ways(void **state)
{
	struct wire_message m;

	(void)state;
	accepts(wire_send(ends[1], "back", 4, NULL, 0, &e), "back");
	assert_int_equal(wire_receive(ends[0], &m, &e), 1);
	assert_string_equal(buf_string(&m.text), "back");
	wire_fini(&m);
}

static void test_descriptors_arrive_in_order_and_stay_ours(void **state)
{
	int pipes[WIRE_MAX_FDS];

	(void)state;
	for (unsigned i = 0; i < WIRE_MAX_FDS; i += 2)
		assert_int_equal(pipe2(pipes + i, O_CLOEXEC), 0);
	for (unsigned count = 1; count <= WIRE_MAX_FDS; count++) {
		struct wire_message m;

		accepts(wire_send(ends[0], "d", 1, pipes, count, &e), "descriptors");
		assert_int_equal(wire_receive(ends[1], &m, &e), 1);
		assert_int_equal(m.fd_count, count);
		for (unsigned i = 0; i < count; i++) {
			assert_int_not_equal(m.fds[i], pipes[i]);
			assert_true(same_file(m.fds[i], pipes[i]));
			assert_int_equal(fcntl(m.fds[i], F_GETFL), fcntl(pipes[i], F_GETFL));
			assert_int_equal(fcntl(m.fds[i], F_GETFD), FD_CLOEXEC);
		}
		wire_fini(&m);
		wire_fini(&m); /* nothing more to do */
		for (unsigned i = 0; i < WIRE_MAX_FDS; i++)
			assert_true(fcntl(pipes[i], F_GETFD) >= 0);
	}
	for (unsigned i = 0; i < WIRE_MAX_FDS; i++)
		close(pipes[i]);
}

static void test_too_much_is_not_sent(void **state)
{
	static char text[WIRE_MAX_TEXT + 1];
	int fds[WIRE_MAX_FDS + 1];

	(void)state;
	for (unsigned i = 0; i < COUNT(fds); i++)
		fds[i] = ends[1];
	refuses(wire_send(ends[0], text, sizeof(text), NULL, 0, &e), "text", ERR_UNSUPPORTED,
		"@wire_send#large");
	refuses(wire_send(ends[0], "d", 1, fds, COUNT(fds), &e), "descriptors", ERR_UNSUPPORTED,
		"@wire_send#large");
	must_fail(ERR_SYSTEM, "receive a message"); /* nothing came */
}

static void test_the_longest_text(void **state)
{
	static char text[WIRE_MAX_TEXT];

	(void)state;
	memset(text, 'l', sizeof(text));
	accepts(wire_send(ends[0], text, sizeof(text), ends, 2, &e), "the longest");
	must_receive(text, sizeof(text), 2);
}

/* Neither its beginning arrives, nor its rest as the next message, nor its descriptors. */
static void test_a_longer_text_from_others(void **state)
{
	static char text[WIRE_MAX_TEXT + 1];

	(void)state;
	send_raw(text, sizeof(text), NULL, 0);
	must_fail(ERR_INPUT, "@wire_receive#large");
	send_raw(text, sizeof(text), ends, 2);
	must_fail(ERR_INPUT, "@wire_receive#large");
	send_raw("next", 4, NULL, 0);
	must_receive("next", 4, 0);
}

static void test_more_descriptors_from_others(void **state)
{
	static const unsigned counts[] = {WIRE_MAX_FDS + 1, WIRE_MAX_FDS + 2, 200};
	int fds[200];

	(void)state;
	for (unsigned i = 0; i < COUNT(fds); i++)
		fds[i] = ends[1];
	for (size_t i = 0; i < COUNT(counts); i++) {
		send_raw("d", 1, fds, counts[i]);
		must_fail(ERR_INPUT, "@wire_receive#large");
	}
	send_raw("next", 4, fds, WIRE_MAX_FDS);
	must_receive("next", 4, WIRE_MAX_FDS);
}

static void must_end(void)
{
	unsigned before = unit_count_open();
	struct wire_message m;

	assert_int_equal(wire_receive(ends[1], &m, &e), 0);
	assert_int_equal(m.fd_count, 0);
	assert_int_equal(m.text.length, 0);
	assert_int_equal(unit_count_open(), before);
	wire_fini(&m);
}

static void test_an_empty_message_ends_it_and_leaves_no_descriptor(void **state)
{
	(void)state;
	send_raw("", 0, NULL, 0);
	must_end();
	send_raw("", 0, ends, 2);
	must_end();
}

static void test_the_other_end_is_closed(void **state)
{
	(void)state;
	accepts(wire_send(ends[0], "last", 4, NULL, 0, &e), "last");
	own_close(&ends[0]);
	must_receive("last", 4, 0);
	must_end();
	must_end();
	refuses(wire_send(ends[1], "x", 1, NULL, 0, &e), "closed", ERR_SYSTEM, "send a message");
	assert_int_equal(e.number, EPIPE);
}

static void test_nobody_reads(void **state)
{
	unsigned sent = 0;

	(void)state;
	do
		e = (struct err){0};
	while (!wire_send(ends[0], "x", 1, NULL, 0, &e) && ++sent < 100000);
	assert_int_equal(e.kind, ERR_SYSTEM);
	assert_int_equal(e.number, EAGAIN);
	while (sent--)
		must_receive("x", 1, 0);
}

static void test_take_hands_over(void **state)
{
	int both[2];
	struct wire_message m;
	int taken;

	(void)state;
	assert_int_equal(pipe2(both, O_CLOEXEC), 0);
	accepts(wire_send(ends[0], "t", 1, both, 2, &e), "two");
	assert_int_equal(wire_receive(ends[1], &m, &e), 1);
	assert_int_equal(wire_take(&m, 2), -1);
	assert_int_equal(wire_take(&m, WIRE_MAX_FDS), -1);
	assert_int_equal(wire_take(&m, ~0u), -1);
	taken = wire_take(&m, 1);
	assert_true(same_file(taken, both[1]));
	assert_int_equal(wire_take(&m, 1), -1); /* closed once only */
	assert_int_equal(m.fd_count, 2);        /* the others keep their positions */
	wire_fini(&m);
	assert_true(fcntl(taken, F_GETFD) >= 0);
	assert_int_equal(wire_take(&m, 0), -1);
	close(taken);
	close(both[0]);
	close(both[1]);
}

int main(void)
{
#define one(test) cmocka_unit_test_setup_teardown(test, connect_ends, close_ends)
	const struct CMUnitTest tests[] = {
		one(test_text_arrives_message_by_message),
		one(test_both_ways),
		one(test_descriptors_arrive_in_order_and_stay_ours),
		one(test_too_much_is_not_sent),
		one(test_the_longest_text),
		one(test_a_longer_text_from_others),
		one(test_more_descriptors_from_others),
		one(test_an_empty_message_ends_it_and_leaves_no_descriptor),
		one(test_the_other_end_is_closed),
		one(test_nobody_reads),
		one(test_take_hands_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
