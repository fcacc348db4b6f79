/*
 * test_ordering - the monitor gives glovebox-egress an order, and goes on meanwhile.
 */
#include "unit.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "client/hub.h"
#include "loop/clock.h"
#include "monitor/ordering.h"
#include "net/message.h"

static struct hub *hub;
static int control; /* ours */
static int theirs;
static struct ordering ordering;
static unsigned told;
static struct err failed; /* as it was told */

static void on_done(void *context, const struct err *failure)
{
	(void)context;
	told++;
	failed = failure ? *failure : (struct err){0};
}

static int begin(void **state)
{
	struct err e;

	(void)state;
	hub = hub_open(&e);
	assert_non_null(hub);
	assert_int_equal(message_pair(SOCK_SEQPACKET, &control, &theirs), 0);
	ordering_init(&ordering, hub, on_done, NULL);
	told = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	ordering_end(&ordering);
	own_close(&control);
	own_close(&theirs);
	hub_close(hub);
	return 0;
}

static void give(void)
{
	auto_buf struct buf request = {0};

	buf_text(&request, "{}");
	ordering_begin(&ordering, control, &request, NULL, 0);
}

static void test_one_that_gave_no_order_ends_nothing(void **state)
{
	(void)state;
	ordering_end(&ordering);
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
}

static void test_an_answer_is_told_in_a_later_turn(void **state)
{
	static const char answer[] = "{\"error\":\"port 7\",\"kind\":\"invalid\"}";
	struct message_extra extra;
	char order[10];

	(void)state;
	give();
	assert_int_equal(message_receive(theirs, order, sizeof(order), 0, &extra), 2);
	assert_int_equal(extra.fd_count, 1);
	assert_int_equal(message_send(extra.fds[0], answer, strlen(answer), NULL, 0, 0),
			 strlen(answer));
	message_drop(&extra);
	assert_int_equal(told, 0);
	hub_turn(hub);
	assert_int_equal(told, 1);
	assert_int_equal(failed.kind, ERR_INPUT);
	assert_string_equal(failed.text, "port 7");
}

static void test_one_that_cannot_be_given_is_told_in_a_later_turn(void **state)
{
	(void)state;
	own_close(&theirs);
	give();
	assert_int_equal(told, 0);
	hub_turn(hub);
	assert_int_equal(told, 1);
	assert_int_equal(failed.kind, ERR_GONE);
}

static void on_ring(void *context)
{
	(void)context;
}

static void test_what_is_awaited_no_more_is_not_told(void **state)
{
	struct hub_timer now = {.ring = on_ring};

	(void)state;
	give();
	ordering_end(&ordering);
	own_close(&theirs);
	hub_ring(hub, &now, monotonic_us());
	hub_turn(hub);
	assert_int_equal(told, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_that_gave_no_order_ends_nothing, begin,
						end),
		cmocka_unit_test_setup_teardown(test_an_answer_is_told_in_a_later_turn, begin, end),
		cmocka_unit_test_setup_teardown(
			test_one_that_cannot_be_given_is_told_in_a_later_turn, begin, end),
		cmocka_unit_test_setup_teardown(test_what_is_awaited_no_more_is_not_told, begin,
						end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
