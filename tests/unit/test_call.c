/*
 * test_call - a call to a session whose interpreter is simulated here: its output, its answer, its
 * end.
 */
#include "unit.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/own.h"
#include "inside/plan.h"
#include "net/message.h"
#include "service/notebook_wait.h"
#include "session/call.h"
#include "session/ping.h"

#define MUCH 300000 /* bytes: more than one read returns */

static struct session session;
static struct session_call ask;
static struct buf printed[2];
static struct sink sinks[2];
static struct call *call;
static struct err e;
static pid_t pid;
static int channel;   /* the interpreter's end */
static int answer_to; /* the pipe that came with the request */
static int print_to;  /* the program's stdout */
static int reader_fd = -1;
static bool is_over;

static void start_call(void)
{
	const struct call_request request = {
		.socket = session.fds[SESSION_CHANNEL], .members = "\"op\":1", .length = 6};

	ask = (struct session_call){.timeout_ms = SPEC_UNLIMITED,
				    .output_max = 1 << 20,
				    .answer_max = 1000,
				    .out = sinks};
	for (int i = 0; i < 2; i++)
		sinks[i] = (struct sink){.fd = i ? -1 : reader_fd, .buffer = &printed[i]};
	is_over = false;
	accepts(call_start(&session, &request, &ask, &e, &call), "a call");
}

static int open_all(void **state)
{
	int fds[2];

	(void)state;
	session = session_none();
	session.memory_bytes = SPEC_UNLIMITED;
	pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	session.fds[SESSION_PIDFD] = (int)syscall(SYS_pidfd_open, pid, 0);
	assert_true(session.fds[SESSION_PIDFD] >= 0);
	assert_int_equal(message_pair(SOCK_STREAM, &session.fds[SESSION_CHANNEL], &channel), 0);
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	session.fds[SESSION_STDOUT] = fds[0];
	print_to = fds[1];
	assert_true(fcntl(print_to, F_SETPIPE_SZ, 1 << 20) >= MUCH);
	answer_to = -1;
	start_call();
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	own_close(&channel);
	own_close(&answer_to);
	own_close(&print_to);
	reader_fd = -1;
	session_close(&session);
	buf_fini(&ask.answer);
	for (int i = 0; i < 2; i++)
		buf_fini(&printed[i]);
	return 0;
}

/* Do everything that is due now. */
static void drive(void)
{
	struct pollfd fd = {loop_fd(call_loop(call), &e), POLLIN, 0};

	while (!is_over && poll(&fd, 1, 0) > 0)
		is_over = call_step(call);
}

static void print(size_t length)
{
	char *bytes = own_zeroed(length, 1);

	assert_int_equal(write(print_to, bytes, length), length);
	free(bytes);
}

/* Act as the interpreter: take the request. */
static void take(void)
{
	struct message_extra extra;
	char bytes[100];

	assert_true(message_receive(channel, bytes, sizeof(bytes), 0, &extra) > FRAME_HEADER);
	answer_to = message_take(&extra);
	assert_true(answer_to >= 0);
}

/* And reply to it. */
static void reply(void)
{
	unsigned char header[FRAME_HEADER];
	char bytes[100];
	int n;

	n = snprintf(bytes, sizeof(bytes), "{\"id\":%u}", ask.id);
	frame_header((uint32_t)n, header);
	assert_int_equal(write(answer_to, header, sizeof(header)), sizeof(header));
	assert_int_equal(write(answer_to, bytes, (size_t)n), n);
}

static void answer(void)
{
	take();
	reply();
}

static bool has_output_left(void)
{
	struct pollfd fd = {session.fds[SESSION_STDOUT], POLLIN, 0};

	return poll(&fd, 1, 0) > 0;
}

static void test_what_was_printed_before_the_answer_comes_with_it(void **state)
{
	(void)state;
	drive();
	print(MUCH);
	answer();
	drive();
	assert_true(is_over);
	assert_int_equal(call_end(call), 0);
	assert_int_equal(printed[0].length, MUCH);
	assert_false(ask.truncated[0] || ask.lost);
}

static void test_one_given_up_after_its_answer_leaves_nothing_to_the_next(void **state)
{
	(void)state;
	drive();
	print(MUCH);
	answer();
	assert_false(call_step(call)); /* the answer is there, but not all of the output */
	assert_int_equal(call_end(call), 0);
	assert_true(ask.truncated[0]);
	assert_false(has_output_left());
}

static void test_one_given_up_before_its_answer_is_lost_with_its_session(void **state)
{
	struct pollfd fd = {session.fds[SESSION_PIDFD], POLLIN, 0};

	(void)state;
	drive();
	assert_int_equal(call_end(call), -1);
	assert_true(ask.lost);
	assert_int_equal(e.kind, ERR_GONE);
	assert_int_equal(poll(&fd, 1, 10000), 1); /* the interpreter was killed */
}

static void test_who_insists_loses_the_session_at_once(void **state)
{
	(void)state;
	drive();
	call_interrupt(call);
	drive();
	assert_false(is_over);
	call_interrupt(call);
	drive();
	assert_true(is_over && ask.insisted);
	assert_int_equal(call_end(call), -1);
	assert_says(ask.why, "@call_give_up#its");
}

/* It would interrupt the next call. */
static void test_one_that_was_interrupted_is_over_when_that_was_sent(void **state)
{
	struct order order;
	int orders;

	(void)state;
	assert_int_equal(message_pair(SOCK_SEQPACKET, &session.fds[SESSION_CONTROL], &orders), 0);
	drive();
	take();
	call_interrupt(call);
	reply();
	drive();
	assert_false(is_over);
	assert_int_equal(recv(orders, &order, sizeof(order), 0), sizeof(order));
	assert_int_equal(order.value, SIGINT);
	assert_false(call_step(call)); /* it was read, and may not have been obeyed yet */
	assert_int_equal(recv(orders, &order, sizeof(order), 0), sizeof(order));
	assert_int_equal(order.value, 0);
	assert_true(call_step(call));
	assert_int_equal(call_end(call), 0);
	close(orders);
}

/* The interpreter would take it for one of the call before. */
static void test_an_interrupt_waits_until_its_request_is_taken(void **state)
{
	struct order order;
	int orders;

	(void)state;
	assert_int_equal(message_pair(SOCK_SEQPACKET, &session.fds[SESSION_CONTROL], &orders), 0);
	call_interrupt(call); /* nothing has been sent */
	drive();
	assert_int_equal(recv(orders, &order, sizeof(order), MSG_DONTWAIT), -1);
	take();
	while (recv(orders, &order, sizeof(order), MSG_DONTWAIT) < 0) {
		loop_wait(call_loop(call), -1);
		assert_false(call_step(call));
	}
	assert_int_equal(order.value, SIGINT);
	assert_int_equal(call_end(call), -1);
	close(orders);
}

/* If pid 1 reads no orders, a call does not wait for it. */
static void test_one_whose_interrupt_is_not_sent_is_over_in_time(void **state)
{
	int orders;

	(void)state;
	assert_int_equal(message_pair(SOCK_SEQPACKET, &session.fds[SESSION_CONTROL], &orders), 0);
	drive();
	take();
	call_interrupt(call);
	reply();
	while (!call_step(call))
		loop_wait(call_loop(call), -1);
	assert_int_equal(call_end(call), 0);
	close(orders);
}

/* More is printed than the pipe to the reader holds. */
static void test_an_interrupt_ends_the_wait_for_a_reader(void **state)
{
	int reader[2];

	(void)state;
	assert_int_equal(call_end(call), -1); /* begin again, with a reader */
	close_all(NULL);
	assert_int_equal(pipe2(reader, O_NONBLOCK), 0);
	reader_fd = reader[1];
	open_all(NULL);
	drive();
	print(MUCH);
	answer();
	drive();
	assert_false(is_over);
	call_interrupt(call);
	drive();
	assert_true(is_over);
	assert_int_equal(call_end(call), 0);
	assert_true(ask.truncated[0] && ask.interrupted);
	assert_false(has_output_left());
	close(reader[0]);
	close(reader[1]);
}

static void test_one_whose_session_dies_says_so(void **state)
{
	struct pollfd fd = {session.fds[SESSION_PIDFD], POLLIN, 0};

	(void)state;
	drive();
	print(MUCH);
	kill(pid, SIGKILL);
	assert_int_equal(poll(&fd, 1, 10000), 1);
	own_close(&print_to);
	drive();
	assert_true(is_over);
	assert_int_equal(call_end(call), -1);
	assert_true(ask.lost && ask.died);
	assert_int_equal(printed[0].length, MUCH);
	assert_false(ask.truncated[0]);
}

struct patience {
	unsigned ticks;
	struct notebook_result result;
};

static void answer_at_the_third_tick(void *context)
{
	struct patience *p = context;

	ask.id = p->result.call.id;
	if (++p->ticks == 3)
		answer();
}

static void test_who_waits_is_told_that_time_passes(void **state)
{
	struct patience p = {0};
	const struct notebook_wait wait = {
		.signal_fd = -1, .tick = answer_at_the_third_tick, .context = &p};
	const struct notebook_request request = {
		.action = NOTEBOOK_ASK,
		.own = &session,
		.call = {.source = "\"op\":1",
			 .length = 6,
			 .timeout_ms = SPEC_UNLIMITED,
			 .answer_max = 1000,
			 .out = {{.fd = -1}, {.fd = -1}}}
        };

	(void)state;
	drive();
	answer();
	drive();
	assert_int_equal(call_end(call), 0);
	own_close(&answer_to);
	accepts(notebook_wait(&request, &wait, &p.result, &e), "it");
	assert_true(p.ticks >= 3);
	notebook_result_fini(&p.result);
}

/* A checkpoint that does not read its requests has not ended. */
static void test_a_ping_into_a_full_queue_names_it(void **state)
{
	static const char bytes[4096];
	struct ping *x;
	int down;
	int up;

	(void)state;
	assert_int_equal(message_pair_down(&down, &up), 0);
	while (message_send(down, bytes, sizeof(bytes), NULL, 0, MSG_DONTWAIT) > 0)
		;
	refuses(ping_start(down, &x, &e), "a full queue", ERR_LIMIT, "net.core.wmem_default");
	close(up);
	refuses(ping_start(down, &x, &e), "nobody", ERR_SYSTEM, "@ping_fail_to_send#ended");
	close(down);
	assert_int_equal(call_end(call), -1); /* that of open_all() */
}

/*
 * Root is exempt from this limit, so a child gives up its rights. Returns 0, or the line that
 * failed.
 */
static int call_beyond_our_limit(void)
{
	const struct rlimit few = {40, 40};
	struct pollfd ends = {session.fds[SESSION_PIDFD], POLLIN, 0};
	struct ping *x;
	int fds[20];
	int on;
	int their;

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		fds[i] = print_to;
	if (message_pair(SOCK_STREAM, &on, &their) || setrlimit(RLIMIT_NOFILE, &few) ||
	    (geteuid() == 0 && setresuid(1234, 1234, 1234)))
		return __LINE__;
	while (message_send(on, "x", 1, fds, sizeof(fds) / sizeof(fds[0]), MSG_DONTWAIT) > 0)
		;
	if (errno != ETOOMANYREFS)
		return __LINE__;
	drive();
	if (!is_over || !call_end(call) || e.kind != ERR_LIMIT || !strstr(e.text, "ulimit -n"))
		return __LINE__;
	if (ask.lost || poll(&ends, 1, 0))
		return __LINE__;
	if (!ping_start(on, &x, &e) || e.kind != ERR_LIMIT)
		return __LINE__;
	close(on); /* no descriptor is in flight any more */
	close(their);
	start_call();
	drive();
	answer();
	drive();
	return is_over && !call_end(call) ? 0 : __LINE__;
}

static void test_what_our_limits_do_not_send_costs_no_session(void **state)
{
	pid_t child;
	int status;

	(void)state;
	if (RUNNING_ON_VALGRIND)
		call_end(call);
	needs_no_valgrind("a limit of descriptors is not the kernel's");
	child = fork();
	if (child == 0)
		_exit(call_beyond_our_limit() & 0xff);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(call_end(call), -1); /* the call of open_all() was never sent */
}

/* If only the header of a request got through, the next request would be misread. */
static void test_a_ping_is_sent_as_a_whole_or_not_at_all(void **state)
{
	struct message_extra extra;
	char bytes[100];
	struct ping *x;
	struct ping_answer who;
	int down;
	int up;

	(void)state;
	assert_int_equal(message_pair(SOCK_SEQPACKET, &down, &up), 0);
	accepts(ping_start(down, &x, &e), "a ping");
	assert_int_equal(message_receive(up, bytes, sizeof(bytes), MSG_DONTWAIT, &extra),
			 FRAME_HEADER + strlen("{\"id\":0,\"op\":\"ping\"}"));
	message_drop(&extra);
	assert_int_equal(ping_end(x, &who, &e), -1);
	close(up);
	close(down);
	assert_int_equal(call_end(call), -1); /* that of open_all() */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_was_printed_before_the_answer_comes_with_it),
		TEST(test_one_given_up_after_its_answer_leaves_nothing_to_the_next),
		TEST(test_one_given_up_before_its_answer_is_lost_with_its_session),
		TEST(test_who_insists_loses_the_session_at_once),
		TEST(test_one_that_was_interrupted_is_over_when_that_was_sent),
		TEST(test_an_interrupt_waits_until_its_request_is_taken),
		TEST(test_one_whose_interrupt_is_not_sent_is_over_in_time),
		TEST(test_an_interrupt_ends_the_wait_for_a_reader),
		TEST(test_one_whose_session_dies_says_so),
		TEST(test_who_waits_is_told_that_time_passes),
		TEST(test_a_ping_into_a_full_queue_names_it),
		TEST(test_a_ping_is_sent_as_a_whole_or_not_at_all),
		TEST(test_what_our_limits_do_not_send_costs_no_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
