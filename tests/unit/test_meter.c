/*
 * test_meter - no second holds more bytes than the rate, and no minute more names than there are
 * places.
 */
#include "unit.h"

#include "egress/meter.h"

static void test_without_a_rate_there_is_no_limit(void **state)
{
	struct meter m;

	(void)state;
	meter_init(&m, 0, 0);
	for (int i = 0; i < 3; i++) {
		assert_true(meter_allows(&m, 0) == SIZE_MAX);
		assert_int_equal(meter_wait_ms(&m, SIZE_MAX, 5), 0);
		meter_take(&m, SIZE_MAX);
	}
}

static void test_a_burst_passes_at_once_and_the_rest_in_time(void **state)
{
	struct meter m;

	(void)state;
	meter_init(&m, 1000, 500);
	assert_int_equal(meter_allows(&m, 123456789), 500); /* the clock begins anywhere */
	meter_take(&m, 500);
	assert_int_equal(meter_allows(&m, 123456789), 0);
	assert_int_equal(meter_wait_ms(&m, 100, 123456789), 100);
	assert_int_equal(meter_wait_ms(&m, 100, 123456889), 0);
	assert_int_equal(meter_allows(&m, 123456889), 100);
	assert_int_equal(meter_allows(&m, 123457289), 500);
	assert_int_equal(meter_allows(&m, UINT64_MAX), 500); /* not more, after any pause */
	assert_int_equal(meter_wait_ms(&m, 501, UINT64_MAX), 0);
}

static void test_what_was_too_much_is_paid_back(void **state)
{
	struct meter m;

	(void)state;
	meter_init(&m, 100, 100);
	meter_take(&m, 350);
	assert_int_equal(meter_allows(&m, 1000), 0);
	assert_int_equal(meter_wait_ms(&m, 1, 1000), 1510);
	assert_int_equal(meter_allows(&m, 2509), 0);
	assert_int_equal(meter_allows(&m, 2510), 1);
}

static void test_slow_rates_lose_no_millisecond(void **state)
{
	struct meter m;
	size_t passed = 0;

	(void)state;
	meter_init(&m, 7, 3);
	(void)meter_allows(&m, 1000);
	meter_take(&m, 3);
	for (uint64_t now = 1000; now <= 101000; now++) {
		size_t n = meter_allows(&m, now);

		passed += n;
		meter_take(&m, n);
	}
	assert_int_equal(passed, 700);
}

/* Whatever is done: in t ms no more than the burst, the rate, and what one call took too much. */
static void test_no_time_holds_more_than_the_rate(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct meter m;
		uint64_t rate;
		uint64_t burst;
		uint64_t now = 0;
		uint64_t passed = 0;

		random = random * 6364136223846793005u + 1442695040888963407u;
		rate = 1 + (random >> 40) % 100000;
		burst = 1 + (random >> 20) % 5000;
		meter_init(&m, rate, burst);
		for (unsigned i = 0; i < 1000; i++) {
			size_t n = meter_allows(&m, now);

			assert_true(n <= burst);
			meter_take(&m, n);
			passed += n;
			assert_true(passed * 1000 <= burst * 1000 + rate * now);
			random = random * 6364136223846793005u + 1442695040888963407u;
			if (i % 3) {
				uint64_t wait = meter_wait_ms(&m, 1 + (random >> 33) % burst, now);

				assert_true(wait <= 1 + burst * 1000 / rate);
				now += wait;
			} else {
				now += (random >> 33) % 50;
			}
		}
	}
}

/* Exactly when the wait is over, and not before. */
static void test_a_wait_is_as_long_as_it_must_be(void **state)
{
	static const uint64_t rates[] = {1, 3, 999, 1000, 1001, 65536, 1000000007};

	(void)state;
	for (size_t i = 0; i < COUNT(rates); i++) {
		struct meter m;
		uint64_t wait;

		meter_init(&m, rates[i], 4096);
		(void)meter_allows(&m, 10);
		meter_take(&m, 4096);
		wait = meter_wait_ms(&m, 1500, 10);
		assert_true(wait > 0);
		assert_true(meter_allows(&m, 10 + wait - 1) < 1500);
		assert_true(meter_allows(&m, 10 + wait) >= 1500);
	}
}

static void test_extremes_do_not_overflow(void **state)
{
	struct meter m;

	(void)state;
	meter_init(&m, UINT64_MAX, UINT64_MAX);
	assert_true(meter_allows(&m, 1) == METER_MAX);
	for (int i = 0; i < 1000; i++)
		meter_take(&m, SIZE_MAX);
	assert_int_equal(meter_allows(&m, 1), 0);
	assert_true(meter_wait_ms(&m, SIZE_MAX, 1) <= 2001);
	assert_true(meter_allows(&m, UINT64_MAX) == METER_MAX);
	meter_init(&m, 1, UINT64_MAX);
	meter_take(&m, SIZE_MAX);
	meter_take(&m, SIZE_MAX);
	assert_true(meter_wait_ms(&m, SIZE_MAX, 1) > 0);
	assert_true(meter_allows(&m, UINT64_MAX) == METER_MAX);
	/* A clock that goes back gives nothing, and takes nothing. */
	meter_init(&m, 1000, 1000);
	assert_int_equal(meter_allows(&m, 5000), 1000);
	meter_take(&m, 1000);
	assert_int_equal(meter_allows(&m, 10), 0);
	assert_int_equal(meter_allows(&m, 5001), 1);
	/* A burst of nothing would let nothing pass, ever. */
	meter_init(&m, 1000, 0);
	assert_int_equal(meter_allows(&m, 1), 1);
}

/* -- names ------------------------------------------------------------------------------------ */

static const char *name_of(unsigned number)
{
	static char name[HOST_NAME_SIZE];

	snprintf(name, sizeof(name), "x%u.example.org", number);
	return name;
}

static void test_so_many_names_a_minute(void **state)
{
	static struct wild_meter m;

	(void)state;
	memset(&m, 0, sizeof(m));
	for (unsigned i = 0; i < WILD_NAMES; i++)
		assert_true(wild_allows(&m, name_of(i), 1000));
	assert_false(wild_allows(&m, "another.example.org", 1000));
	/* Those that were asked for pass again. */
	for (unsigned i = 0; i < WILD_NAMES; i += 2)
		assert_true(wild_allows(&m, name_of(i), 2000));
	assert_false(wild_allows(&m, "another.example.org", 60999));
	/* Half of them were not asked for in a minute. */
	for (unsigned i = 0; i < WILD_NAMES / 2; i++)
		assert_true(wild_allows(&m, name_of(1000 + i), 61000));
	assert_false(wild_allows(&m, name_of(1), 61000));
	assert_true(wild_allows(&m, name_of(0), 61000));
	assert_false(wild_allows(&m, name_of(2000), 61999));
	assert_true(wild_allows(&m, name_of(2000), 62000));
}

/* Asked as fast as can be, in any order: different names of any minute. */
static void test_no_minute_has_more_names(void **state)
{
	static struct wild_meter m;
	static uint64_t last[400]; /* when each was asked for last; 0: never */
	uint64_t random = 7;

	(void)state;
	memset(&m, 0, sizeof(m));
	for (uint64_t now = 1; now < 300000; now += 37) {
		unsigned number;
		unsigned within = 0;

		random = random * 6364136223846793005u + 1442695040888963407u;
		number = (unsigned)(random >> 33) % 400;
		if (!wild_allows(&m, name_of(number), now))
			continue;
		last[number] = now;
		for (unsigned i = 0; i < 400; i++)
			within += last[i] && last[i] + WILD_MINUTE_MS > now;
		assert_true(within <= WILD_NAMES);
	}
}

static void test_names_are_not_mistaken(void **state)
{
	static struct wild_meter m;
	char full[HOST_NAME_SIZE + 1];

	(void)state;
	memset(&m, 0, sizeof(m));
	for (unsigned i = 0; i < WILD_NAMES - 1; i++)
		assert_true(wild_allows(&m, name_of(i), 0));
	memset(full, 'a', sizeof(full));
	full[HOST_NAME_SIZE] = '\0';
	assert_false(wild_allows(&m, full, 0)); /* longer than any name */
	full[HOST_NAME_SIZE - 1] = '\0';
	assert_true(wild_allows(&m, full, 0));
	assert_true(wild_allows(&m, full, 0));
	full[HOST_NAME_SIZE - 2] = 'b'; /* the last of them differs */
	assert_false(wild_allows(&m, full, 0));
	full[HOST_NAME_SIZE - 2] = '\0';
	assert_false(wild_allows(&m, full, 0));
}

static void test_the_star_stands_for_few_bytes(void **state)
{
	char name[HOST_NAME_SIZE];

	(void)state;
	memset(name, 'a', sizeof(name));
	name[40] = '.'; /* the dot between two labels is one of the bytes */
	memcpy(name + WILD_BYTES_MAX, ".example.org", 13);
	assert_true(wild_fits("*.example.org", name));
	assert_true(wild_fits(name, name));
	memcpy(name + WILD_BYTES_MAX, "a.example.org", 14);
	assert_false(wild_fits("*.example.org", name));
	assert_true(wild_fits(name, name));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_rate_there_is_no_limit),
		cmocka_unit_test(test_a_burst_passes_at_once_and_the_rest_in_time),
		cmocka_unit_test(test_what_was_too_much_is_paid_back),
		cmocka_unit_test(test_slow_rates_lose_no_millisecond),
		cmocka_unit_test(test_no_time_holds_more_than_the_rate),
		cmocka_unit_test(test_a_wait_is_as_long_as_it_must_be),
		cmocka_unit_test(test_extremes_do_not_overflow),
		cmocka_unit_test(test_so_many_names_a_minute),
		cmocka_unit_test(test_no_minute_has_more_names),
		cmocka_unit_test(test_names_are_not_mistaken),
		cmocka_unit_test(test_the_star_stands_for_few_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
