/*
 * test_json_strict - JSON that other parsers would misread is refused.
 */
#include "unit.h"

#include "base/json.h"
#include "base/json_strict.h"

#define PLENTY 1000

static struct err e;

static int check(const char *text, size_t length, size_t max_values)
{
	e = (struct err){0};
	return json_check_strict(text, length, max_values, &e);
}

static void test_json_is_accepted(void **state)
{
	static const char *const table[] = {
		"0",
		"-0.5e-10",
		"1E+5",
		"\"\"",
		"null",
		" \t\r\n[ ] ",
		"{}",
		"[[],{},[[]]]",
		"{\"a\":[1,2,{\"b\":null}],\"\":true}",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
		"\"\\ud83d\\ude00\"",
		"\"\xc3\xa9\xf0\x9f\x98\x80\"",
		"\"\xef\xbf\xbd\"",
		"1.7976931348623157e308",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct json *document;

		if (check(table[i], strlen(table[i]), PLENTY))
			fail_msg("refused: %s (%s)", table[i], e.text);
		document = json_parse(table[i], strlen(table[i]), &e);
		assert_non_null(document);
		json_free(document);
	}
}

/* cJSON accepts many of these. */
static void test_what_is_nearly_json_is_refused(void **state)
{
	static const char *const table[] = {
		"",
		" ",
		"01",
		"1.",
		".5",
		"+1",
		"-",
		"1e",
		"1e999",
		"-1e999",
		"NaN",
		"Infinity",
		"nul",
		"True",
		"[1,]",
		"[,1]",
		"[1 2]",
		"[1}",
		"{\"a\":1]",
		"{\"a\" 1}",
		"{\"a\":}",
		"{a:1}",
		"{\"a\":1,}",
		"{1:1}",
		"[",
		"{\"a\"",
		"\"",
		"\"\\",
		"\"\\x\"",
		"\"\\u12\"",
		"\"\\u+123\"",
		"\"a\nb\"",
		"\"\\u0000\"",
		"\"\\ud800\"",
		"\"\\ud800\\u0041\"",
		"\"\\udc00\"",
		"\"\xff\xfe\"",
		"\"\xed\xa0\x80\"",
		"\"\xc0\x80\"",
		"\"\xc3\"",
		"\xef\xbb\xbf{}",
		"{} {}",
		"1 2",
		"[1] x",
		"1234567890123456789012345678901234567890123456789012345678901234",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		if (!check(table[i], strlen(table[i]), PLENTY))
			fail_msg("accepted: %s", table[i]);
		assert_int_equal(e.kind, ERR_INPUT);
		assert_true(message_is(e.text, "@json_check_strict#strict"));
	}
	assert_int_equal(check("{}\0", 3, PLENTY), -1);
	assert_int_equal(check("\"\0\"", 3, PLENTY), -1);
	assert_int_equal(check("\"\\\0\"", 4, PLENTY), -1);
}

static void test_values_of_all_levels_are_counted(void **state)
{
	static const char text[] = "{\"a\":[1,2],\"b\":{}}"; /* the outermost value counts, too */

	(void)state;
	assert_int_equal(check(text, strlen(text), 5), 0);
	assert_int_equal(check(text, strlen(text), 4), -1);
	assert_true(message_is(e.text, "@json_check_strict#more 4"));
	assert_int_equal(check(text, strlen(text), 0), -1);
}

static void test_commas_in_strings_are_no_values(void **state)
{
	(void)state;
	assert_int_equal(check("[\",,,,[[[[\"]", 12, 2), 0);
}

static void test_nesting_up_to_64_levels(void **state)
{
	char text[140];

	(void)state;
	for (int depth = 60; depth < 70; depth++) {
		memset(text, '[', (size_t)depth);
		memset(text + depth, ']', (size_t)depth);
		assert_int_equal(check(text, 2 * (size_t)depth, PLENTY), depth <= 64 ? 0 : -1);
	}
	for (size_t i = 0; i < 64; i++)
		memcpy(text + 2 * i, "[[", 2);
	assert_int_equal(check(text, 128, PLENTY), -1);
}

static void test_a_byte_order_mark_is_found(void **state)
{
	(void)state;
	assert_int_equal(json_byte_order_mark("\xef\xbb\xbf{}", 5), 3);
	assert_int_equal(json_byte_order_mark("\xef\xbb\xbf", 3), 3);
	assert_int_equal(json_byte_order_mark("\xef\xbb", 2), 0);
	assert_int_equal(json_byte_order_mark("{}", 2), 0);
	assert_int_equal(json_byte_order_mark(NULL, 0), 0);
}

static void test_the_length_bounds_the_text(void **state)
{
	(void)state;
	assert_int_equal(check("[1]x", 3, PLENTY), 0);
	assert_int_equal(check("[1]", 2, PLENTY), -1);
	assert_int_equal(check("true", 3, PLENTY), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_is_accepted),
		cmocka_unit_test(test_what_is_nearly_json_is_refused),
		cmocka_unit_test(test_values_of_all_levels_are_counted),
		cmocka_unit_test(test_commas_in_strings_are_no_values),
		cmocka_unit_test(test_nesting_up_to_64_levels),
		cmocka_unit_test(test_a_byte_order_mark_is_found),
		cmocka_unit_test(test_the_length_bounds_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
