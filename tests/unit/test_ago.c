/*
 * test_ago - times in the past, in words.
 */
#include "unit.h"

#include <time.h>

#include "base/ago.h"

static const char *ago(time_t seconds, char out[32])
{
	time_t then = time(NULL) - seconds;
	char when[32];
	struct tm tm;

	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&then, &tm));
	return ago_text(when, out);
}

static void test_the_largest_whole_unit_counts(void **state)
{
	static const struct {
		time_t seconds;
		const char *text;
	} table[] = {
		{-100,            "just now"     },
		{90,              "1 minute ago" },
		{150,             "2 minutes ago"},
		{3700,            "1 hour ago"   },
		{86400 * 3 + 100, "3 days ago"   },
		{86400 * 15,      "2 weeks ago"  },
		{86400 * 800,     "2 years ago"  },
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		assert_string_equal(ago(table[i].seconds, out), table[i].text);
}

static void test_what_is_no_time_is_a_dash(void **state)
{
	char out[32];

	(void)state;
	assert_string_equal(ago_text(NULL, out), "-");
	assert_string_equal(ago_text("yesterday", out), "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_largest_whole_unit_counts),
		cmocka_unit_test(test_what_is_no_time_is_a_dash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
