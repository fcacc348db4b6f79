/*
 * test_stream - bytes are passed on, cut, captured or dropped, and nothing ever blocks.
 *
 * No test waits for time to pass: every step polls without a timeout, so a stream that would block
 * or spin shows up as one that makes no progress.
 */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/io.h"
#include "base/process.h"
#include "sandbox/stream.h"

static struct stream s;
static int in[2];  /* the program writes in[1], the stream reads in[0] */
static int out[2]; /* the stream writes out[1], the reader has out[0] */

static int new_stream(void **state)
{
	int signals = -1;
	struct err e;

	(void)state;
	accepts(process_signals(&signals, &e), "signals");
	close(signals);
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	/* Only ends a test that goes wrong; the stream itself must not need it. */
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	stream_init(&s, in[0], out[1]);
	return 0;
}

static int end_stream(void **state)
{
	(void)state;
	stream_fini(&s);
	for (int i = 0; i < 2; i++) {
		close(in[i]);
		close(out[i]);
	}
	return 0;
}

/* One turn of the supervisor's loop. Returns whether poll() reported anything. */
static int turn(void)
{
	struct pollfd fds[2];
	int ready;

	stream_poll(&s, fds);
	ready = poll(fds, 2, 0);
	assert_true(ready >= 0);
	stream_pump(&s, fds);
	return ready > 0;
}

/* Take turns until there is nothing more to do. If there are too many, the stream spins. */
static void settle(void)
{
	int turns = 0;

	while (turn()) {
		if (++turns > 10000)
			fail_msg("the stream spins");
	}
}

static size_t take(char *bytes, size_t size)
{
	ssize_t n = read(out[0], bytes, size);

	return n < 0 ? 0 : (size_t)n;
}

static void test_bytes_pass_unchanged_and_in_order(void **state)
{
	static char sent[300000];
	static char got[sizeof(sent) + 1];
	size_t written = 0;
	size_t received = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(sent); i++)
		sent[i] = (char)(i * 31 + i / 251);
	s.own_from = s.own_to = true;
	while (!stream_is_done(&s)) {
		size_t before = written + received;

		if (written < sizeof(sent)) {
			ssize_t n = write(in[1], sent + written, sizeof(sent) - written);

			written += n > 0 ? (size_t)n : 0;
			if (written == sizeof(sent))
				close(in[1]);
		}
		settle();
		received += take(got + received, sizeof(got) - received);
		assert_true(written + received > before || stream_is_done(&s));
	}
	received += take(got + received, sizeof(got) - received);
	assert_int_equal(received, sizeof(sent));
	assert_memory_equal(got, sent, sizeof(sent));
	assert_int_equal(s.passed, sizeof(sent));
	assert_false(s.truncated || s.reader_gone);
}

static void test_end_of_input_ends_the_output_that_it_owns(void **state)
{
	char byte;

	(void)state;
	s.own_to = true;
	io_write_all(in[1], "x", 1);
	close(in[1]);
	settle();
	assert_true(stream_is_done(&s));
	assert_int_equal(s.from, -1);
	assert_int_equal(s.to, -1);
	assert_int_equal(read(out[0], &byte, 1), 1);
	assert_int_equal(read(out[0], &byte, 1), 0);
	assert_int_equal(fcntl(in[0], F_GETFD) >= 0, 1); /* borrowed: still open */
}

static void test_a_borrowed_output_stays_open(void **state)
{
	(void)state;
	close(in[1]);
	settle();
	assert_true(stream_is_done(&s));
	stream_fini(&s);
	assert_true(fcntl(out[1], F_GETFD) >= 0);
}

static void test_nothing_is_done_before_there_is_something(void **state)
{
	(void)state;
	assert_false(turn());
	assert_false(stream_is_done(&s));
	assert_int_equal(s.passed, 0);
}

static void test_a_full_reader_stops_reading_not_the_supervisor(void **state)
{
	static char block[65536];
	size_t written = 0;
	size_t received = 0;
	ssize_t n;

	(void)state;
	memset(block, 'b', sizeof(block));
	do {
		n = write(in[1], block, sizeof(block));
		written += n > 0 ? (size_t)n : 0;
		settle();
	} while (n > 0);
	/* Both pipes and the stream's buffer are full; it waits only for the reader. */
	assert_true(written >= 3 * sizeof(block));
	assert_false(turn());
	assert_true(stream_has_pending(&s));
	/* Everything arrives once the reader reads. */
	for (;;) {
		size_t got = take(block, sizeof(block));

		settle();
		if (!got)
			break;
		received += got;
	}
	assert_int_equal(received, written);
	assert_false(stream_has_pending(&s));
	assert_null(s.pending); /* nor does it hold memory for what may come */
}

/* poll() promises room for PIPE_BUF bytes, and a write of more would block. */
static void test_a_partly_full_reader_does_not_block_either(void **state)
{
	static char block[65536];

	(void)state;
	alarm(60); /* a write that blocks would block for ever */
	assert_int_equal(write(in[1], block, 100), 100);
	settle();
	assert_int_equal(write(in[1], block, sizeof(block)), sizeof(block));
	settle();
	assert_true(stream_has_pending(&s));
	assert_int_equal(take(block, sizeof(block)) + (s.end - s.start), sizeof(block) + 100);
	alarm(0);
}

static void test_descriptors_of_the_caller_stay_blocking(void **state)
{
	static char block[65536];

	(void)state;
	for (int i = 0; i < 10; i++) {
		if (write(in[1], block, sizeof(block)) < 0)
			break;
		settle();
	}
	assert_false(fcntl(out[1], F_GETFL) & O_NONBLOCK);
	assert_false(fcntl(in[0], F_GETFL) & O_NONBLOCK);
}

static void test_the_limit_lets_exactly_its_bytes_through(void **state)
{
	(void)state;
	for (size_t sent = 8; sent <= 12; sent++) {
		auto_buf struct buf capture = {0};
		char got[32];

		stream_init(&s, in[0], out[1]);
		s.limit = 10;
		s.capture = &capture;
		io_write_all(in[1], "0123456789abcdef", sent);
		settle();
		assert_int_equal(take(got, sizeof(got)), sent < 10 ? sent : 10);
		assert_memory_equal(got, "0123456789", sent < 10 ? sent : 10);
		assert_int_equal(capture.length, sent < 10 ? sent : 10);
		assert_int_equal(s.passed, sent < 10 ? sent : 10);
		assert_int_equal(s.truncated, sent > 10);
	}
}

static void test_what_is_beyond_the_limit_is_read_and_dropped(void **state)
{
	static char block[65536];
	char got[64];
	size_t dropped = 0;

	(void)state;
	s.limit = 10;
	for (int i = 0; i < 50; i++) {
		ssize_t n = write(in[1], block, sizeof(block));

		assert_true(n > 0); /* the program never has to wait */
		dropped += (size_t)n;
		settle();
	}
	assert_true(s.truncated);
	assert_int_equal(s.passed, 10);
	assert_int_equal(take(got, sizeof(got)), 10);
	close(in[1]);
	settle();
	assert_true(stream_is_done(&s));
	assert_true(dropped > 1 << 20);
}

static void test_a_limit_of_zero_lets_nothing_through(void **state)
{
	char got[8];

	(void)state;
	s.limit = 0;
	settle();
	assert_false(s.truncated);
	io_write_all(in[1], "x", 1);
	settle();
	assert_true(s.truncated);
	assert_int_equal(take(got, sizeof(got)), 0);
}

static void test_capture_without_a_destination(void **state)
{
	auto_buf struct buf capture = {0};

	(void)state;
	stream_init(&s, in[0], -1);
	s.capture = &capture;
	io_write_all(in[1], "a\0b", 3);
	settle();
	io_write_all(in[1], "c", 1);
	close(in[1]);
	settle();
	assert_true(stream_is_done(&s));
	assert_int_equal(capture.length, 4);
	assert_memory_equal(capture.data, "a\0bc", 4);
}

static void test_a_reader_that_goes_away_is_noticed_while_idle(void **state)
{
	(void)state;
	assert_false(turn());
	close(out[0]);
	settle();
	assert_true(s.reader_gone);
	assert_int_equal(s.to, -1);
	assert_false(stream_is_done(&s));
	/* The program may continue to write; its output is drained to the end. */
	io_write_all(in[1], "x", 1);
	close(in[1]);
	settle();
	assert_true(stream_is_done(&s));
}

static void test_a_reader_that_goes_away_with_bytes_pending(void **state)
{
	static char block[65536];

	(void)state;
	for (int i = 0; i < 10; i++) {
		if (write(in[1], block, sizeof(block)) < 0)
			break;
		settle();
	}
	assert_true(stream_has_pending(&s));
	close(out[0]);
	settle();
	assert_true(s.reader_gone);
	close(in[1]);
	settle();
	assert_true(stream_is_done(&s));
}

/* What Node.js gives its children, and ssh: a socket hangs up (POLLHUP) without an error. */
static void test_a_socket_that_is_closed_is_a_reader_that_is_gone(void **state)
{
	int sockets[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	stream_init(&s, in[0], sockets[1]);
	s.own_to = true;
	assert_false(turn());
	close(sockets[0]);
	settle();
	assert_true(s.reader_gone);
	assert_false(stream_is_done(&s));
}

static void open_pty(int *master, int *slave)
{
	*master = posix_openpt(O_RDWR | O_NOCTTY);
	*slave = *master < 0 || unlockpt(*master) ? -1
						  : ioctl(*master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	if (*slave < 0) {
		printf("cannot: no pty here\n");
		skip();
	}
}

/* With -t, a program that has closed its terminal goes on, and our side of the pty hangs up. */
static void test_a_pty_without_other_side_does_not_spin(void **state)
{
	int master;
	int slave;

	(void)state;
	open_pty(&master, &slave);
	stream_init(&s, in[0], master);
	s.own_to = true;
	assert_false(turn());
	close(slave);
	settle();
}

static void test_a_pty_ends_with_its_other_side(void **state)
{
	auto_buf struct buf capture = {0};
	int master;
	int slave;

	(void)state;
	open_pty(&master, &slave);
	stream_init(&s, master, -1);
	s.own_from = true;
	s.capture = &capture;
	io_write_all(slave, "bye", 3);
	close(slave);
	settle();
	assert_true(stream_is_done(&s));
	assert_string_equal(buf_string(&capture), "bye");
}

static void test_a_file_is_written_in_large_pieces(void **state)
{
	int dir = unit_enter();
	struct stat st;
	int file;

	(void)state;
	file = openat(dir, "f", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	stream_init(&s, in[0], file);
	assert_int_equal(s.piece, STREAM_BYTES);
	s.own_to = true;
	for (int i = 0; i < 20; i++) {
		static char block[50000];

		assert_int_equal(write(in[1], block, sizeof(block)), sizeof(block));
		settle();
	}
	assert_int_equal(fstat(file, &st), 0);
	assert_int_equal(st.st_size, 1000000);
	stream_init(&s, in[0], out[1]);
	assert_true(s.piece <= 4096); /* PIPE_BUF */
	close(file);
	unit_leave(dir);
}

static void test_an_unusable_output_is_a_reader_that_is_gone(void **state)
{
	(void)state;
	stream_init(&s, in[0], out[0]); /* the reading end, so that write() fails */
	io_write_all(in[1], "x", 1);
	for (int i = 0; i < 10 && !s.reader_gone; i++) {
		struct pollfd fds[2];

		stream_poll(&s, fds);
		fds[0].revents = fds[0].fd >= 0 ? POLLIN : 0;
		fds[1].revents = POLLOUT;
		stream_pump(&s, fds);
		if (s.start == s.end && !s.reader_gone && s.passed)
			break;
	}
	assert_true(s.reader_gone);
	assert_int_equal(s.passed, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_stream, end_stream)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_bytes_pass_unchanged_and_in_order),
		TEST(test_end_of_input_ends_the_output_that_it_owns),
		TEST(test_a_borrowed_output_stays_open),
		TEST(test_nothing_is_done_before_there_is_something),
		TEST(test_a_full_reader_stops_reading_not_the_supervisor),
		TEST(test_a_partly_full_reader_does_not_block_either),
		TEST(test_descriptors_of_the_caller_stay_blocking),
		TEST(test_the_limit_lets_exactly_its_bytes_through),
		TEST(test_what_is_beyond_the_limit_is_read_and_dropped),
		TEST(test_a_limit_of_zero_lets_nothing_through),
		TEST(test_capture_without_a_destination),
		TEST(test_a_reader_that_goes_away_is_noticed_while_idle),
		TEST(test_a_reader_that_goes_away_with_bytes_pending),
		TEST(test_a_socket_that_is_closed_is_a_reader_that_is_gone),
		TEST(test_a_pty_without_other_side_does_not_spin),
		TEST(test_a_pty_ends_with_its_other_side),
		TEST(test_a_file_is_written_in_large_pieces),
		TEST(test_an_unusable_output_is_a_reader_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
