/*
 * test_admission - who runs, who waits, and what becomes of many that fail at once.
 */
#include "unit.h"

#include "tenant/admission.h"

#define MANY 1000
#define KEYS 3

static struct hub *hub;
static struct admission admission;
static struct ticket tickets[MANY];
static struct admission_line lines[KEYS];
static unsigned decided[MANY]; /* how often */
static unsigned depth, deepest, order;
static unsigned turn[MANY]; /* in which order they were admitted */
static struct err e;

static void note(void *context, bool admitted)
{
	const size_t i = (size_t)((struct ticket *)context - tickets);

	decided[i]++;
	turn[i] = admitted ? ++order : 0;
}

/* As a run that cannot be started. */
static void fail_at_once(void *context, bool admitted)
{
	depth++;
	if (depth > deepest)
		deepest = depth;
	note(context, admitted);
	admission_leave(context);
	depth--;
}

static void ask(size_t i, void (*what)(void *context, bool admitted))
{
	tickets[i] = (struct ticket){.decided = what, .context = &tickets[i]};
	admission_ask(&admission, &lines[0], &tickets[i]);
}

/* With a line of its own for each key. */
static void ask_as(size_t key, size_t i)
{
	tickets[i] = (struct ticket){.decided = note, .context = &tickets[i]};
	admission_ask(&admission, &lines[key], &tickets[i]);
}

static void open_with(unsigned most, uint64_t wait_ms)
{
	hub = hub_open(&e);
	assert_non_null(hub);
	admission_init(&admission, hub, most, wait_ms);
	memset(decided, 0, sizeof(decided));
	memset(lines, 0, sizeof(lines));
	for (size_t i = 0; i < KEYS; i++)
		lines[i].most = UINT64_MAX;
	depth = deepest = order = 0;
}

static void close_it(void)
{
	assert_int_equal(admission.running, 0);
	assert_int_equal(admission.waiting, 0);
	assert_true(TAILQ_EMPTY(&admission.lines));
	for (size_t i = 0; i < KEYS; i++)
		assert_int_equal(lines[i].running, 0);
	hub_close(hub);
}

static void test_those_that_wait_are_admitted_in_their_order(void **state)
{
	(void)state;
	open_with(2, 60000);
	for (size_t i = 0; i < 5; i++)
		ask(i, note);
	assert_int_equal(admission.running, 2);
	assert_int_equal(admission.waiting, 3);
	admission_leave(&tickets[3]); /* it waits no longer */
	admission_leave(&tickets[0]);
	assert_int_equal(turn[2], 3);
	admission_leave(&tickets[1]);
	admission_leave(&tickets[2]);
	assert_int_equal(turn[4], 4);
	assert_int_equal(decided[3], 0);
	admission_leave(&tickets[4]);
	admission_leave(&tickets[4]); /* safe */
	close_it();
}

static void test_many_that_fail_at_once_do_so_one_after_the_other(void **state)
{
	(void)state;
	open_with(1, 60000);
	ask(0, note);
	for (size_t i = 1; i < MANY; i++)
		ask(i, fail_at_once);
	admission_leave(&tickets[0]);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(decided[i], 1);
	for (size_t i = 1; i < MANY; i++)
		assert_int_equal(turn[i], i + 1);
	assert_int_equal(deepest, 1);
	close_it();
}

static void test_who_runs_among_those_that_fail_has_his_place(void **state)
{
	(void)state;
	open_with(1, 60000);
	ask(0, note);
	ask(1, fail_at_once);
	ask(2, note);
	ask(3, fail_at_once);
	admission_leave(&tickets[0]);
	assert_int_equal(admission.running, 1);
	assert_int_equal(decided[2], 1);
	assert_int_equal(decided[3], 0);
	admission_leave(&tickets[2]);
	assert_int_equal(decided[3], 1);
	close_it();
}

static void test_a_line_with_many_does_not_hold_up_another(void **state)
{
	(void)state;
	open_with(1, 60000);
	ask_as(0, 0);
	for (size_t i = 1; i < 100; i++)
		ask_as(0, i);
	ask_as(1, 100);
	ask_as(1, 101);
	ask_as(2, 102);
	admission_leave(&tickets[0]);
	assert_int_equal(turn[1], 2);
	admission_leave(&tickets[1]);
	assert_int_equal(turn[100], 3);
	admission_leave(&tickets[100]);
	assert_int_equal(turn[102], 4);
	admission_leave(&tickets[102]);
	assert_int_equal(turn[2], 5);
	admission_leave(&tickets[2]);
	assert_int_equal(turn[101], 6);
	admission_leave(&tickets[101]);
	for (size_t i = 3; i < 100; i++)
		admission_leave(&tickets[i]);
	close_it();
}

static void test_a_key_has_no_more_than_its_places(void **state)
{
	(void)state;
	open_with(4, 60000);
	lines[0].most = 2;
	for (size_t i = 0; i < 6; i++)
		ask_as(0, i);
	assert_int_equal(admission.running, 2);
	ask_as(1, 10); /* the free ones are for others */
	ask_as(1, 11);
	ask_as(1, 12);
	assert_int_equal(decided[11], 1);
	assert_int_equal(decided[12], 0);
	admission_leave(&tickets[10]); /* the first line that waits has as many as it may */
	assert_int_equal(decided[12], 1);
	assert_int_equal(decided[2], 0);
	admission_leave(&tickets[0]);
	assert_int_equal(decided[2], 1);
	admission_leave(&tickets[4]); /* in the middle of its line */
	admission_leave(&tickets[5]);
	admission_leave(&tickets[3]);
	for (size_t i = 0; i < MANY; i++)
		admission_leave(&tickets[i]);
	close_it();
}

static void test_patience_ends(void **state)
{
	(void)state;
	open_with(1, 1);
	ask(0, note);
	ask(1, note);
	while (!decided[1])
		hub_turn(hub);
	assert_int_equal(turn[1], 0);
	admission_leave(&tickets[0]);
	close_it();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_those_that_wait_are_admitted_in_their_order),
		cmocka_unit_test(test_many_that_fail_at_once_do_so_one_after_the_other),
		cmocka_unit_test(test_who_runs_among_those_that_fail_has_his_place),
		cmocka_unit_test(test_a_line_with_many_does_not_hold_up_another),
		cmocka_unit_test(test_a_key_has_no_more_than_its_places),
		cmocka_unit_test(test_patience_ends),
	};

	return cmocka_run_group_tests_name("admission", tests, NULL, NULL);
}
