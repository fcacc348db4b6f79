/*
 * test_requests - how the supervisor serves requests; there is no nursery behind it.
 */
#include "unit.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "base/own.h"
#include "loop/fd.h"
#include "warm/requests.h"

#define BEGAN 1000000u

static struct err e;
static struct supervisor *supervisor;
static struct endings endings;
static struct op_request request;
static struct client client;
static int theirs;

static int begin(void **state)
{
	int pair[2];

	(void)state;
	supervisor = own_zeroed(1, sizeof(*supervisor));
	supervisor->sessions.endings = &endings;
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
	sessions_fini(&supervisor->sessions);
	while (endings.count)
		own_close(&endings.items[--endings.count].pidfd);
	free(endings.items);
	endings = (struct endings){0};
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

/* A session that is kept, with a network or without. */
static void keep(const char *name, unsigned fds, bool network)
{
	struct op_request kept = {.op = OP_KEEP};

	kept.keep = (struct keep_request){
		.name = name, .group = "", .memory = UINT64_MAX, .network = network};
	while (kept.message.fd_count < fds)
		kept.message.fds[kept.message.fd_count++] = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(sessions_keep(&supervisor->sessions, &kept, &e), 0);
	wire_fini(&kept.message);
}

static void asks_for_network(const char *name)
{
	request.op = OP_NETWORK;
	request.network = (struct network_request){.name = name};
	assert_int_equal(request_serve(supervisor, &client, BEGAN), OUTCOME_DONE);
}

static void test_a_copy_of_the_networks_socket_is_handed_out(void **state)
{
	struct op_answer answer;
	struct wire_message m;

	(void)state;
	keep("with", SESSION_FDS + 1, true);
	supervisor->sessions.items[0].borrower = 9; /* somebody has it: that does not matter */
	asks_for_network("with");
	assert_int_equal(wire_receive(theirs, &m, &e), 1);
	assert_int_equal(op_answer_read(OP_NETWORK, &m, &answer, &e), 0);
	assert_int_equal(answer.message.fd_count, 1);
	op_answer_fini(&answer);
	assert_true(supervisor->sessions.items[0].session.network >= 0);
}

static void test_who_has_no_network_is_told_why(void **state)
{
	struct op_answer answer;
	struct wire_message m;

	(void)state;
	keep("without", SESSION_FDS, false);
	asks_for_network("without");
	assert_int_equal(wire_receive(theirs, &m, &e), 1);
	assert_int_equal(op_answer_read(OP_NETWORK, &m, &answer, &e), -1);
	assert_int_equal(e.kind, ERR_INPUT);
	asks_for_network("nobody");
	assert_int_equal(wire_receive(theirs, &m, &e), 1);
	assert_int_equal(op_answer_read(OP_NETWORK, &m, &answer, &e), -1);
	assert_int_equal(e.kind, ERR_NOT_FOUND);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_who_asks_for_the_nursery_waits_while_it_starts),
		TEST(test_he_waits_no_longer_than_he_says),
		TEST(test_he_does_not_wait_for_one_that_has_failed),
		TEST(test_a_session_without_a_pidfd_is_not_kept),
		TEST(test_a_copy_of_the_networks_socket_is_handed_out),
		TEST(test_who_has_no_network_is_told_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
