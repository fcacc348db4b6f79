/*
 * test_numbers - which numbers of an answer are known.
 */
#include "unit.h"

#include "agent/reply/numbers.h"
#include "base/buf.h"

/* The numbers of `answer` that `given` does not hold are `unknown`, separated by blanks. */
static void check(const char *given, const char *answer, const char *unknown)
{
	struct numbers n = {0};
	struct unknown_numbers u = {0};
	auto_buf struct buf text = {0};

	numbers_add(&n, given, strlen(given));
	numbers_find_unknown(&n, answer, &u);
	for (size_t i = 0; i < u.count; i++)
		buf_printf(&text, "%s%s", i ? " " : "", u.items[i]);
	if (strcmp(buf_string(&text), unknown) != 0)
		fail_msg("'%s' of '%s': unknown '%s', not '%s'", answer, given, buf_string(&text),
			 unknown);
	unknown_numbers_fini(&u);
	numbers_fini(&n);
}

static void test_what_nothing_printed_is_unknown(void **state)
{
	(void)state;
	check("NameError: name 'df' is not defined, line 12", "The mean of column a is 144.",
	      "144");
	check("", "It grew from 144 to 144 and 1,250.5.", "144 1,250.5");
	check("143.2", "144", "144");
	check("0.144", "144", "144");
	check("14", "about 144 of 14", "144");
}

static void test_rounding_is_allowed(void **state)
{
	(void)state;
	check("33.333333333", "33.3, 33.33, 33 and 30", "");
	check("66.66666", "66.67 or 66.66", "");
	check("1234567.891", "1,234,568; 1234567.9; 1200000", "");
	check("1.5e-05 2e10", "0.000015 and 20000000000", "");
	check("-17", "a loss of 17", "");
}

static void test_units_are_allowed(void **state)
{
	(void)state;
	check("0.1234", "12.3% or 12 percent", "");
	check("1234567", "1.2 million, 1.23M, 1235 thousand", "");
	check("5242880", "a file of 5.2 MB, or 5.00 MiB", "");
	check("1234567", "1.3 million", "1.3");
}

static void test_separators_are_read_either_way(void **state)
{
	(void)state;
	check("5 and 1234.5", "5,000 is not; 1,234.50 or 1.234,50 or 1'234.5", "5,000");
	check("1,234", "1234", "");
	check("12,34,56", "34 and 56", "");
	check("2024-03-15", "15 March 2024", "");
}

static void test_what_is_no_number_is_passed_over(void **state)
{
	(void)state;
	check("", "1. first\n2) second\n12. twelfth\n", "");
	check("", "see figure-12.png, utf16, /output/v22.csv and Q15", "");
	check("", "the 3 largest of 5", "");
	check("", "2024-10: 144, 2024-11-05; on 31/12/2024, in 3/2024 or 100-200",
	      "144 2024 100 200");
	check("", "```python\nx = 144\n```\n", "");
	check("", "0123456789012345678901234567890123456789012345", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_nothing_printed_is_unknown),
		cmocka_unit_test(test_rounding_is_allowed),
		cmocka_unit_test(test_units_are_allowed),
		cmocka_unit_test(test_separators_are_read_either_way),
		cmocka_unit_test(test_what_is_no_number_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
