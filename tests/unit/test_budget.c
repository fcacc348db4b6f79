/*
 * test_budget - the limits on time and bytes of an answer.
 */
#include "unit.h"

#include "agent/server/budget.h"

static void test_time_counts_from_what_was_of_use(void **state)
{
	struct budget b;

	(void)state;
	budget_begin(&b, 0, 1000, 5000);
	assert_int_equal(budget_check(&b, 0, 0, 5999), BUDGET_LEFT);
	assert_int_equal(budget_patience_ms(&b, 5999), 1);
	assert_int_equal(budget_check(&b, 10, 0, 6000), BUDGET_STALLED); /* bytes are no progress */
	assert_int_equal(budget_patience_ms(&b, 7000), 0);
	assert_int_equal(budget_check(&b, 10, 1, 6000), BUDGET_LEFT);
	assert_int_equal(budget_check(&b, 20, 1, 6999), BUDGET_LEFT);
	assert_int_equal(budget_check(&b, 30, 1, 7000), BUDGET_STALLED);
}

static void test_bytes_count_from_what_was_of_use(void **state)
{
	struct budget b;

	(void)state;
	budget_begin(&b, 0, 1000, 0);
	assert_int_equal(budget_check(&b, 0, 0, 0), BUDGET_LEFT);
	assert_int_equal(budget_check(&b, BUDGET_IDLE_BYTES, 0, 0), BUDGET_LEFT);
	assert_int_equal(budget_check(&b, BUDGET_IDLE_BYTES + 1, 0, 0), BUDGET_IDLE);
	assert_int_equal(budget_check(&b, BUDGET_IDLE_BYTES + 1, 1, 0), BUDGET_LEFT);
	assert_int_equal(budget_check(&b, 2 * BUDGET_IDLE_BYTES + 1, 1, 0), BUDGET_LEFT);
	assert_int_equal(budget_check(&b, 2 * BUDGET_IDLE_BYTES + 2, 1, 0), BUDGET_IDLE);
}

static void test_all_bytes_count(void **state)
{
	static const uint64_t most[][2] = {
		{0,   BUDGET_BYTES},
		{100, 100         },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(most); i++) {
		struct budget b;

		budget_begin(&b, most[i][0], 1000, 0);
		assert_int_equal(budget_check(&b, 0, 0, 0), BUDGET_LEFT);
		assert_int_equal(budget_check(&b, most[i][1], 1, 0), BUDGET_LEFT);
		assert_int_equal(budget_check(&b, most[i][1] + 1, 2, 0), BUDGET_SPENT);
	}
}

static void test_a_connection_that_is_used_again_and_one_that_replaces_it(void **state)
{
	struct budget b;

	(void)state;
	budget_begin(&b, 100, 1000, 0);
	assert_int_equal(budget_check(&b, 1u << 30, 1, 0), BUDGET_LEFT);
	assert_int_equal(budget_check(&b, (1u << 30) + 60, 2, 0), BUDGET_LEFT);
	assert_int_equal(budget_check(&b, 40, 3, 0), BUDGET_LEFT);
	assert_int_equal(budget_check(&b, 41, 4, 0), BUDGET_SPENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_counts_from_what_was_of_use),
		cmocka_unit_test(test_bytes_count_from_what_was_of_use),
		cmocka_unit_test(test_all_bytes_count),
		cmocka_unit_test(test_a_connection_that_is_used_again_and_one_that_replaces_it),
	};

	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
