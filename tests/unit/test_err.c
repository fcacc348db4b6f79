/*
 * test_err - the error type: set, prefixed, truncated and rendered.
 */
#include "unit.h"

#include <errno.h>

static struct err e;

static void test_every_way_to_fail_returns_minus_one(void **state)
{
	(void)state;
	assert_int_equal(err_set(&e, ERR_DENIED, "x"), -1);
	assert_int_equal(err_sys(&e, "x"), -1);
	assert_int_equal(err_input(&e, "x"), -1);
	assert_int_equal(err_prefix(&e, "x"), -1);
}

static void test_set_keeps_kind_and_text_without_errno(void **state)
{
	(void)state;
	for (int kind = ERR_NONE; kind <= ERR_SYSTEM; kind++) {
		e.number = 5;
		err_set(&e, (enum err_kind)kind, "%s %d", "thing", kind);
		assert_int_equal(e.kind, kind);
		assert_int_equal(e.number, 0);
		assert_memory_equal(e.text, "thing ", 6);
	}
}

static void test_sys_keeps_the_errno_of_its_caller(void **state)
{
	(void)state;
	errno = ENOSPC;
	err_sys(&e, "write %s", "/x");
	assert_int_equal(e.kind, ERR_SYSTEM);
	assert_int_equal(e.number, ENOSPC);
	assert_string_equal(e.text, "write /x");
}

static void test_prefix_adds_context_and_keeps_the_rest(void **state)
{
	(void)state;
	errno = EACCES;
	err_sys(&e, "open rootfs");
	err_prefix(&e, "image %s", "python");
	err_prefix(&e, "run");
	assert_string_equal(e.text, "run: image python: open rootfs");
	assert_int_equal(e.kind, ERR_SYSTEM);
	assert_int_equal(e.number, EACCES);
}

static void test_long_texts_are_cut_and_terminated(void **state)
{
	char text[2000];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	err_input(&e, "%s", text);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	for (size_t length = 0; length < sizeof(text) - 1; length += 37) {
		memset(text, 'p', length);
		text[length] = '\0';
		err_input(&e, "the reason");
		err_prefix(&e, "%s", text);
		assert_true(strlen(e.text) < sizeof(e.text));
		if (length < 400)
			assert_non_null(strstr(e.text, ": the reason"));
	}
}

static void test_string_adds_what_errno_means(void **state)
{
	char line[600];

	(void)state;
	errno = ENOENT;
	err_sys(&e, "open /x");
	assert_string_equal(err_string(&e, line, sizeof(line)),
			    "open /x: No such file or directory");
	err_input(&e, "no such flag");
	assert_ptr_equal(err_string(&e, line, sizeof(line)), line);
	assert_string_equal(line, "no such flag");
}

static void test_string_is_one_line_without_controls(void **state)
{
	char line[600];

	(void)state;
	for (int c = 1; c < 0x100; c++) {
		err_input(&e, "a%cb", c);
		err_string(&e, line, sizeof(line));
		if (c >= 0x20 && c < 0x7f)
			assert_int_equal(line[1], c);
		for (char *p = line; *p; p++)
			assert_in_range(*p, ' ', '~');
	}
	err_input(&e, "\x1b[2J\r\nforged: line");
	assert_string_equal(err_string(&e, line, sizeof(line)), "\\x1b[2J\\r\\nforged: line");
	err_input(&e, "\xc2\x9b\x9b\xe2\x80\xae");
	assert_string_equal(err_string(&e, line, sizeof(line)), "\\x9b\\x9b\\u202e");
	err_input(&e, "caf\xc3\xa9");
	assert_string_equal(err_string(&e, line, sizeof(line)), "caf\xc3\xa9");
}

static void test_string_fits_into_what_it_is_given(void **state)
{
	char line[16];

	(void)state;
	err_input(&e, "\xe2\x82\xac\xe2\x82\xac");
	assert_string_equal(err_string(&e, line, 6),
			    "\xe2\x82\xac"); /* no character is cut in half */
	err_input(&e, "a text that is longer than sixteen bytes");
	for (size_t size = 1; size <= sizeof(line); size++) {
		memset(line, '#', sizeof(line));
		err_string(&e, line, size);
		assert_int_equal(strlen(line), size - 1);
		if (size < sizeof(line))
			assert_int_equal(line[size], '#');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_way_to_fail_returns_minus_one),
		cmocka_unit_test(test_set_keeps_kind_and_text_without_errno),
		cmocka_unit_test(test_sys_keeps_the_errno_of_its_caller),
		cmocka_unit_test(test_prefix_adds_context_and_keeps_the_rest),
		cmocka_unit_test(test_long_texts_are_cut_and_terminated),
		cmocka_unit_test(test_string_adds_what_errno_means),
		cmocka_unit_test(test_string_is_one_line_without_controls),
		cmocka_unit_test(test_string_fits_into_what_it_is_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
