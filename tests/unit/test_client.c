/*
 * test_client - how a client handles a supervisor that does not answer as expected.
 */
#include "unit.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/own.h"
#include "client/ask.h"
#include "client/client.h"
#include "loop/fd.h"

static struct err e;
static int ours;
static int theirs;

static int begin(void **state)
{
	int pair[2];

	(void)state;
	e = (struct err){0};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	ours = pair[0];
	theirs = pair[1];
	return 0;
}

static int end(void **state)
{
	(void)state;
	own_close(&ours);
	own_close(&theirs);
	return 0;
}

static void answer_with(enum err_kind kind)
{
	const struct err refusal = {.kind = kind, .text = "not today"};
	auto_buf struct buf text = {0};

	op_answer_write_error(&refusal, &text);
	assert_int_equal(wire_send(theirs, text.data, text.length, NULL, 0, &e), 0);
}

static int ask(void)
{
	struct op_answer answer;

	return client_ask(NULL, ours, OP_ALIVE, NULL, NULL, 0, &answer, &e);
}

static void test_an_answer_is_read(void **state)
{
	const struct stop_answer told = {3, 4};
	auto_buf struct buf text = {0};
	struct op_answer answer;

	(void)state;
	op_answer_write(OP_STOP, &told, &text);
	assert_int_equal(wire_send(theirs, text.data, text.length, NULL, 0, &e), 0);
	accepts(client_ask(NULL, ours, OP_STOP, NULL, NULL, 0, &answer, &e), "stop");
	assert_int_equal(answer.stop.running, 3);
	assert_int_equal(answer.stop.sessions, 4);
	op_answer_fini(&answer);
}

static void test_a_refusal_has_its_kind(void **state)
{
	(void)state;
	answer_with(ERR_LIMIT);
	assert_int_equal(ask(), -1);
	assert_int_equal(e.kind, ERR_LIMIT);
	assert_string_equal(e.text, "not today");
}

/* The supervisor has too many clients: it says so and hangs up before any request. */
static void test_who_is_refused_before_he_asks_is_told_why(void **state)
{
	(void)state;
	answer_with(ERR_BUSY);
	own_close(&theirs);
	assert_int_equal(ask(), -1);
	assert_int_equal(e.kind, ERR_BUSY);
	assert_string_equal(e.text, "not today");
}

static void test_one_that_hangs_up_is_said_to(void **state)
{
	(void)state;
	assert_int_equal(shutdown(theirs, SHUT_WR), 0);
	assert_int_equal(ask(), -1);
	assert_int_equal(e.kind, ERR_SYSTEM);
	assert_non_null(strstr(e.text, "hung up"));
}

static void test_one_that_has_hung_up_is_said_to(void **state)
{
	(void)state;
	own_close(&theirs);
	assert_int_equal(ask(), -1);
	assert_int_equal(e.kind, ERR_SYSTEM);
}

static void test_nobody_needs_to_wait_for_an_answer(void **state)
{
	struct ask *x = ask_start(NULL, ours, OP_ALIVE, NULL, NULL, 0);
	struct op_answer answer;
	int fd = loop_fd(ask_loop(x), &e);

	(void)state;
	accepts(fd < 0, "a descriptor");
	assert_true(fd_is_ready(fd, POLLIN)); /* not empty, so that there is something to send */
	assert_false(ask_step(x));
	assert_true(fd_is_ready(theirs, POLLIN));
	assert_false(fd_is_ready(fd, POLLIN));
	assert_false(ask_step(x));
	answer_with(ERR_BUSY);
	assert_true(fd_is_ready(fd, POLLIN));
	assert_true(ask_step(x));
	assert_int_equal(ask_end(x, NULL, &answer, &e), -1);
	assert_int_equal(e.kind, ERR_BUSY);
}

static void test_a_question_is_given_up_at_any_moment(void **state)
{
	struct op_answer answer;

	(void)state;
	for (int steps = 0; steps < 3; steps++) {
		struct ask *x = ask_start(NULL, ours, OP_ALIVE, NULL, NULL, 0);

		for (int i = 0; i < steps; i++)
			assert_false(ask_step(x));
		assert_int_equal(ask_end(x, NULL, &answer, &e), -1);
		assert_int_equal(e.kind, ERR_SYSTEM);
	}
}

/* A listener that accepts nobody and whose backlog of one connection is full. */
static void fill_queue(int dir_fd)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	assert_int_equal(mkdirat(dir_fd, "glovebox", 0700), 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/glovebox/warm.sock",
		 dir_fd);
	own_close(&ours);
	own_close(&theirs);
	ours = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	theirs = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(ours, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(ours, 0), 0);
	assert_int_equal(connect(theirs, (struct sockaddr *)&address, sizeof(address)), 0);
}

static void test_a_queue_that_stays_full_is_named(void **state)
{
	int dir_fd = unit_enter();
	struct op_answer answer;

	(void)state;
	fill_queue(dir_fd);
	refuses(client_ask_once(unit_directory, OP_ALIVE, NULL, &answer, &e), "a full queue",
		ERR_BUSY, "net.core.somaxconn");
	assert_int_equal(e.number, 0);
	unit_leave(dir_fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_answer_is_read),
		TEST(test_a_refusal_has_its_kind),
		TEST(test_who_is_refused_before_he_asks_is_told_why),
		TEST(test_one_that_hangs_up_is_said_to),
		TEST(test_one_that_has_hung_up_is_said_to),
		TEST(test_nobody_needs_to_wait_for_an_answer),
		TEST(test_a_question_is_given_up_at_any_moment),
		TEST(test_a_queue_that_stays_full_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
