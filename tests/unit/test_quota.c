/*
 * test_quota - what one key may have at once, and how its requests are counted, on a clock of ours.
 */
#include "unit.h"

#include "tenant/keys.h"

#define SECOND 1000000ull
#define MINUTE (60 * SECOND)

static struct key *key;
static struct err e;
static uint64_t retry;

static int begin(void **state)
{
	struct ceiling shipped;

	(void)state;
	ceiling_init(&shipped);
	key = key_of_local(&shipped);
	ceiling_fini(&shipped);
	retry = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	key_free(key);
	return 0;
}

static int run(void)
{
	return quota_enter_run(key, &retry, &e);
}

static int request(uint64_t now_us)
{
	return quota_count_request(key, now_us, &retry, &e);
}

static void test_without_a_quota_nothing_is_refused(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++) {
		accepts(run(), "run");
		accepts(request(0), "request");
		accepts(quota_check_sessions(key, (uint64_t)i, &retry, &e), "session");
	}
	for (int i = 0; i < 1000; i++)
		quota_leave_run(key);
	assert_int_equal(key->holders, 0);
}

static void test_runs_end(void **state)
{
	(void)state;
	key->ceiling.quota.runs = 2;
	accepts(run(), "1");
	accepts(run(), "2");
	refuses(run(), "3", ERR_BUSY, "@quota_enter_run 2");
	assert_int_equal(retry, 2);
	quota_leave_run(key);
	accepts(run(), "again");
	refuses(run(), "and no more", ERR_BUSY, "runs");
	quota_leave_run(key);
	quota_leave_run(key);
	assert_int_equal(key->use.runs, 0);
}

static void test_sessions_are_counted_elsewhere(void **state)
{
	(void)state;
	key->ceiling.quota.sessions = 2;
	accepts(quota_check_sessions(key, 1, &retry, &e), "a second one");
	refuses(quota_check_sessions(key, 2, &retry, &e), "a third", ERR_BUSY,
		"@quota_check_sessions 2");
	assert_int_equal(retry, 10);
	refuses(quota_check_sessions(key, 3, &retry, &e), "from before", ERR_BUSY, "sessions");
}

/* As many as the bucket holds; a refused one takes nothing, and what it was told to wait is enough.
 */
static void test_requests_of_a_minute_may_come_at_once(void **state)
{
	static const uint64_t rates[] = {1, 2, 7, 60, 61, 999, 59999, 1000000};

	(void)state;
	for (size_t i = 0; i < COUNT(rates); i++) {
		uint64_t now = 5 * MINUTE;

		key->use = (struct quota_use){0};
		key->ceiling.quota.requests = rates[i];
		for (uint64_t n = 0; n < rates[i]; n++)
			accepts(request(now), "in the bucket");
		for (int n = 0; n < 3; n++)
			refuses(request(now), "beyond", ERR_BUSY, "@quota_count_request");
		assert_true(retry >= 1 && retry <= 60);
		accepts(request(now + retry * SECOND), "after the wait");
	}
}

static void test_requests_come_back_with_time(void **state)
{
	(void)state;
	key->ceiling.quota.requests = 60;
	for (int i = 0; i < 60; i++)
		accepts(request(MINUTE), "the first minute's");
	refuses(request(MINUTE + SECOND - 1), "too early", ERR_BUSY, "@quota_count_request 60");
	assert_int_equal(retry, 1);
	accepts(request(MINUTE + SECOND), "one a second");
	refuses(request(MINUTE + SECOND), "but one", ERR_BUSY, "");
	/* However long nothing came: never more than a minute's. */
	for (int i = 0; i < 60; i++)
		accepts(request(100 * MINUTE), "full again");
	refuses(request(100 * MINUTE), "not fuller", ERR_BUSY, "");
}

/* Over any time, however it is asked for: what the bucket held, and one per share of a minute. */
static void test_no_pattern_gets_more(void **state)
{
	uint64_t now = MINUTE;
	uint64_t got = 0;
	uint32_t random = 1;

	(void)state;
	key->ceiling.quota.requests = 7;
	for (int i = 0; i < 20000; i++) {
		random = random * 1664525 + 1013904223;
		now += random >> 10;
		got += !request(now);
	}
	assert_true(got <= 7 + (now - MINUTE) * 7 / MINUTE);
	assert_true(got >= (now - MINUTE) * 7 / MINUTE - 7);
}

static void test_a_smaller_rate_holds_from_the_next_request(void **state)
{
	(void)state;
	key->ceiling.quota.requests = 1000;
	for (int i = 0; i < 1000; i++)
		accepts(request(0), "many");
	key->ceiling.quota.requests = 1;
	refuses(request(0), "now one", ERR_BUSY, "at most 1 requests");
	assert_true(retry <= 60);
	accepts(request(MINUTE), "a minute later");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_without_a_quota_nothing_is_refused, begin,
						end),
		cmocka_unit_test_setup_teardown(test_runs_end, begin, end),
		cmocka_unit_test_setup_teardown(test_sessions_are_counted_elsewhere, begin, end),
		cmocka_unit_test_setup_teardown(test_requests_of_a_minute_may_come_at_once, begin,
						end),
		cmocka_unit_test_setup_teardown(test_requests_come_back_with_time, begin, end),
		cmocka_unit_test_setup_teardown(test_no_pattern_gets_more, begin, end),
		cmocka_unit_test_setup_teardown(test_a_smaller_rate_holds_from_the_next_request,
						begin, end),
	};

	return cmocka_run_group_tests_name("quota", tests, NULL, NULL);
}
