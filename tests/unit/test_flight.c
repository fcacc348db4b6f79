/*
 * test_flight - how much of what is shared one holder gets, and what is left for the next.
 */
#include "unit.h"

#include "web/flight.h"

#define HOLDERS 50

static struct flight_pool pool;
static struct flight flights[HOLDERS];

static void begin(uint64_t most, bool has_one_holder)
{
	pool = (struct flight_pool){
		.most = {most, most, most},
                  .has_one_holder = has_one_holder
        };
	memset(flights, 0, sizeof(flights));
}

static uint64_t fill(struct flight *flight, uint64_t amount)
{
	while (flight_take(&pool, flight, FLIGHT_MEMORY, amount))
		;
	return flight->has[FLIGHT_MEMORY];
}

static void test_one_holder_leaves_half(void **state)
{
	(void)state;
	begin(1000, false);
	assert_int_equal(fill(&flights[0], 1), 500);
	assert_int_equal(fill(&flights[1], 1), 250);
	assert_int_equal(fill(&flights[2], 1), 125);
}

static void test_whoever_has_nothing_is_served_while_anything_is_free(void **state)
{
	(void)state;
	for (uint64_t most = 1; most < 300; most++) {
		begin(most, false);
		for (unsigned turn = 0; turn < 1000; turn++)
			(void)flight_take(&pool, &flights[turn % 3], FLIGHT_CONNECTIONS, 1);
		assert_int_equal(flight_take(&pool, &flights[3], FLIGHT_CONNECTIONS, 1),
				 pool.all.has[FLIGHT_CONNECTIONS] - flights[3].has[0] < most);
		assert_true(pool.all.has[FLIGHT_CONNECTIONS] <= most);
		if (most >= 4)
			assert_int_equal(flights[3].has[FLIGHT_CONNECTIONS], 1);
	}
}

static void test_the_first_thing_may_be_as_large_as_what_is_free(void **state)
{
	(void)state;
	begin(1000, false);
	assert_true(flight_take(&pool, &flights[0], FLIGHT_MEMORY, 900));
	assert_false(flight_take(&pool, &flights[0], FLIGHT_MEMORY, 1));
	assert_false(flight_take(&pool, &flights[1], FLIGHT_MEMORY, 101));
	assert_true(flight_take(&pool, &flights[1], FLIGHT_MEMORY, 100));
	flight_give(&pool, &flights[0], FLIGHT_MEMORY, 900);
	assert_int_equal(pool.all.has[FLIGHT_MEMORY], 100);
	assert_false(flight_take(&pool, &flights[0], FLIGHT_MEMORY, UINT64_MAX));
}

static void test_a_single_holder_may_have_all(void **state)
{
	(void)state;
	begin(1000, true);
	assert_int_equal(fill(&flights[0], 1), 1000);
	assert_false(flight_take(&pool, &flights[0], FLIGHT_MEMORY, UINT64_MAX));
}

static void test_kinds_are_counted_apart(void **state)
{
	(void)state;
	begin(10, false);
	assert_int_equal(fill(&flights[0], 1), 5);
	assert_true(flight_take(&pool, &flights[0], FLIGHT_CONNECTIONS, 1));
	assert_true(flight_take(&pool, &flights[0], FLIGHT_FILES, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_holder_leaves_half),
		cmocka_unit_test(test_whoever_has_nothing_is_served_while_anything_is_free),
		cmocka_unit_test(test_the_first_thing_may_be_as_large_as_what_is_free),
		cmocka_unit_test(test_a_single_holder_may_have_all),
		cmocka_unit_test(test_kinds_are_counted_apart),
	};

	return cmocka_run_group_tests_name("flight", tests, NULL, NULL);
}
