/*
 * test_requests - how the supervisor serves requests; there is no nursery behind it.
 */
#include "unit.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/own.h"
#include "warm/requests.h"

#define BEGAN 1000000u

static struct err e;
static struct supervisor *supervisor;
static struct op_request request;
static struct client client;
static int theirs;

static int begin(void **state)
{
	int pair[2];

	(void)state;
	supervisor = own_zeroed(1, sizeof(*supervisor));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
		return -1;
	request = (struct op_request){.op = OP_READY, .ready = {.wait_ms = 500}};
	client = (struct client){.fd = pair[0], .request = &request, .since_us = BEGAN};
	theirs = pair[1];
	return 0;
}

static int end(void **state)
{
	(void)state;
	own_close(&client.fd);
	own_close(&theirs);
	free(supervisor);
	return 0;
}

static void is_told(bool starting)
{
	struct wire_message m;
	struct op_answer answer;

	assert_int_equal(wire_receive(theirs, &m, &e), 1);
	accepts(op_answer_read(OP_READY, &m, &answer, &e), "an answer");
	assert_int_equal(answer.ready.starting, starting);
	op_answer_fini(&answer);
}

static void test_who_asks_for_the_nursery_waits_while_it_starts(void **state)
{
	(void)state;
	supervisor->nursery.state = NURSERY_STARTING;
	assert_int_equal(request_serve(supervisor, &client, BEGAN), OUTCOME_WAITS);
	assert_int_equal(request_serve(supervisor, &client, BEGAN + 499999), OUTCOME_WAITS);
	assert_false(fd_is_ready(theirs, POLLIN));
	supervisor->nursery.state = NURSERY_READY;
	assert_int_equal(request_serve(supervisor, &client, BEGAN + 499999), OUTCOME_DONE);
	is_told(false);
}

static void test_he_waits_no_longer_than_he_says(void **state)
{
	(void)state;
	supervisor->nursery.state = NURSERY_STARTING;
	assert_int_equal(request_serve(supervisor, &client, BEGAN + 500000), OUTCOME_DONE);
	is_told(true);
}

static void test_he_does_not_wait_for_one_that_has_failed(void **state)
{
	(void)state;
	supervisor->nursery.state = NURSERY_NONE;
	assert_int_equal(request_serve(supervisor, &client, BEGAN), OUTCOME_DONE);
	is_told(false);
}

/* Otherwise its cell could neither be killed nor be seen to end. */
static void test_a_session_without_a_pidfd_is_not_kept(void **state)
{
	struct op_answer answer;
	struct wire_message m;

	(void)state;
	request.op = OP_KEEP;
	request.keep = (struct keep_request){.name = "a", .group = ""};
	while (request.message.fd_count < SESSION_FDS)
		request.message.fds[request.message.fd_count++] = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(request_serve(supervisor, &client, BEGAN), OUTCOME_DONE);
	assert_int_equal(wire_receive(theirs, &m, &e), 1);
	assert_int_equal(op_answer_read(OP_KEEP, &m, &answer, &e), -1);
	assert_int_equal(e.kind, ERR_INPUT);
	assert_int_equal(supervisor->sessions.count, 0);
	wire_fini(&request.message);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_who_asks_for_the_nursery_waits_while_it_starts),
		TEST(test_he_waits_no_longer_than_he_says),
		TEST(test_he_does_not_wait_for_one_that_has_failed),
		TEST(test_a_session_without_a_pidfd_is_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
