/*
 * test_lost_sessions - which client is told why a session was lost.
 */
#include "unit.h"

#include "warm/lost_sessions.h"

static void test_nothing_is_known_of_others(void **state)
{
	struct lost_sessions l = {0};

	(void)state;
	assert_null(lost_sessions_named(&l, "a"));
	assert_null(lost_sessions_named(&l, ""));
	assert_null(lost_sessions_of(&l, 0));
	lost_sessions_add(&l, "a", 7, "was idle");
	assert_null(lost_sessions_named(&l, "b"));
	assert_null(lost_sessions_of(&l, 8));
	assert_null(lost_sessions_of(&l, 0));
}

static void test_the_latest_of_a_name_counts(void **state)
{
	struct lost_sessions l = {0};

	(void)state;
	lost_sessions_add(&l, "a", 0, "first");
	lost_sessions_add(&l, "b", 0, "other");
	lost_sessions_add(&l, "a", 0, "second");
	assert_string_equal(lost_sessions_named(&l, "a"), "second");
	assert_string_equal(lost_sessions_named(&l, "b"), "other");
}

static void test_a_borrower_is_told_where_the_name_is_not(void **state)
{
	struct lost_sessions l = {0};

	(void)state;
	lost_sessions_add(&l, "", 7, "was removed");
	assert_string_equal(lost_sessions_of(&l, 7), "was removed");
	assert_null(lost_sessions_named(&l, ""));
	lost_sessions_add(&l, "a", 8, "was idle");
	lost_sessions_forget(&l, "a"); /* a new session has that name */
	assert_null(lost_sessions_named(&l, "a"));
	assert_string_equal(lost_sessions_of(&l, 8), "was idle");
}

static void test_the_oldest_are_forgotten(void **state)
{
	struct lost_sessions l = {0};
	char name[32];

	(void)state;
	for (unsigned i = 0; i < LOST_MAX + 2; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		lost_sessions_add(&l, name, i + 1, name);
	}
	assert_null(lost_sessions_named(&l, "s0"));
	assert_null(lost_sessions_of(&l, 2));
	assert_string_equal(lost_sessions_named(&l, "s2"), "s2");
	assert_string_equal(lost_sessions_of(&l, LOST_MAX + 2), name);
}

static void test_long_texts_are_cut(void **state)
{
	static char text[2 * LOST_WHY_MAX];
	struct lost_sessions l = {0};

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	lost_sessions_add(&l, "a", 0, text);
	assert_int_equal(strlen(lost_sessions_named(&l, "a")), LOST_WHY_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_known_of_others),
		cmocka_unit_test(test_the_latest_of_a_name_counts),
		cmocka_unit_test(test_a_borrower_is_told_where_the_name_is_not),
		cmocka_unit_test(test_the_oldest_are_forgotten),
		cmocka_unit_test(test_long_texts_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
