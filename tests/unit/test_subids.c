/*
 * test_subids - which range of /etc/subuid belongs to a user, and that hostile lines reach no
 * terminal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../rootfs/chamber/chamber_log.h"
#include "namespace/subid_file.h"

static uint32_t parse(const char *text)
{
	char copy[256];
	uint32_t first = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	return subid_file_parse(copy, "joe", "1001", &first) ? first : 0;
}

static void test_the_range_of_a_name_or_a_number(void **state)
{
	(void)state;
	assert_int_equal(parse("joe:100000:65536\n"), 100000);
	assert_int_equal(parse("1001:200000:65536"), 200000);
	assert_int_equal(parse("ann:100000:65536\njoe:165536:131072\n"), 165536);
	assert_int_equal(parse("joe:100000:10\njoe:300000:65536\n"), 300000);
}

static void test_what_is_no_range_for_a_build(void **state)
{
	static const char *const bad[] = {
		"",
		"joe",
		"joe:",
		"joe:100000",
		"joe:100000:65535",
		"joey:100000:65536",
		"jo:100000:65536",
		"joe:0:65536",
		"joe:999:65536",
		"joe:-1:65536",
		"joe:4294901761:65536",
		"joe:x:65536",
		"joe:100000:y",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse(bad[i]), 0);
}

static uint32_t free_after(const char *text)
{
	char copy[256];

	snprintf(copy, sizeof(copy), "%s", text);
	return subid_file_free_after(copy, 100000);
}

static void test_the_next_free_range(void **state)
{
	(void)state;
	assert_int_equal(free_after(""), 100000);
	assert_int_equal(free_after("joe:100000:65536\n"), 165536);
	assert_int_equal(free_after("joe:200000:10\nann:100000:65536\n"), 200010);
	assert_int_equal(free_after("joe:50:10\nrubbish\njoe:x\n"), 100000);
	assert_int_equal(free_after("joe:100000:4000000000\n"), 0);
	assert_int_equal(free_after("joe:1878917121:65535\n"), 0);
	assert_int_equal(free_after("joe:18446744073709486080:0\n"), 0);
	assert_int_equal(free_after("joe:18446744073709551615:18446744073709551615\n"), 0);
	assert_int_equal(free_after("joe:200000:18446744073709551615\n"), 0);
}

static void test_only_printable_ascii_is_shown(void **state)
{
	char text[] = "a\033[2J\tb\r\n\302\233\233\177z";

	(void)state;
	chamber_log_defuse(text, strlen(text));
	assert_string_equal(text, "a?[2J\tb \n????z");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_range_of_a_name_or_a_number),
		cmocka_unit_test(test_what_is_no_range_for_a_build),
		cmocka_unit_test(test_the_next_free_range),
		cmocka_unit_test(test_only_printable_ascii_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
