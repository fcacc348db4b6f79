/*
 * test_call_result - an interpreter's answer, honest or hostile, becomes a typed result.
 */
#include "unit.h"

#include "base/json_strict.h"
#include "session/call_result.h"

static struct call_result read_answer(const char *text)
{
	struct call_result x;
	struct buf answer = {0};
	struct err e;

	buf_text(&answer, text);
	assert_int_equal(json_check_strict(text, strlen(text), 100, &e), 0);
	call_result_of_answer(&answer, &x);
	assert_null(answer.data);
	return x;
}

static void assert_displays(const struct call_result *r, const char *wanted)
{
	auto_buf struct buf text = {0};

	call_result_displays(r, call_result_add, &text);
	assert_string_equal(buf_string(&text), wanted);
}

static void assert_traceback(const struct call_result *r, const char *wanted)
{
	auto_buf struct buf text = {0};

	call_result_traceback(r, call_result_add, &text);
	assert_string_equal(buf_string(&text), wanted);
}

static void test_a_value_and_what_was_displayed(void **state)
{
	struct call_result x = read_answer(
		"{\"status\":\"ok\",\"value\":{\"text/plain\":\"42\"},\"displays\":"
		"[{\"text/plain\":\"a\"},{\"image/png\":\"x\",\"text/plain\":\"\"},{}]}");

	(void)state;
	assert_int_equal(x.verdict, CODE_OK);
	assert_int_equal(x.exit_code, 0);
	assert_string_equal(x.value, "42");
	assert_displays(&x, "a\n");
	assert_false(x.has_traceback);
	assert_traceback(&x, "");
	call_result_fini(&x);
}

static void test_an_exit_has_its_status(void **state)
{
	struct call_result x = read_answer("{\"status\":\"exit\",\"exit_code\":3}");

	(void)state;
	assert_int_equal(x.verdict, CODE_EXIT);
	assert_int_equal(x.exit_code, 3);
	call_result_fini(&x);
	x = read_answer("{\"status\":\"exit\",\"exit_code\":\"0\"}");
	assert_int_equal(x.exit_code, 1);
	call_result_fini(&x);
}

static void test_an_error_has_its_traceback(void **state)
{
	struct call_result x = read_answer(
		"{\"status\":\"error\",\"error\":{\"name\":\"ValueError\",\"value\":\"no\","
		"\"traceback\":[\"Traceback\\n\",\"ValueError: no\\n\"]}}");

	(void)state;
	assert_int_equal(x.verdict, CODE_ERROR);
	assert_int_equal(x.exit_code, 1);
	assert_true(x.has_traceback);
	assert_traceback(&x, "Traceback\nValueError: no\n");
	call_result_fini(&x);
	x = read_answer(
		"{\"status\":\"error\",\"error\":{\"name\":\"E\",\"value\":\"v\","
		"\"traceback\":[]}}");
	assert_traceback(&x, "E: v\n");
	call_result_fini(&x);
}

/* Foreign code controls the process, so any JSON may come. */
static void test_any_shape_is_survived(void **state)
{
	static const char *const rows[] = {
		"[]",
		"3",
		"null",
		"\"ok\"",
		"{}",
		"{\"status\":[]}",
		"{\"status\":\"ok\",\"value\":3,\"displays\":{\"a\":1}}",
		"{\"status\":\"ok\",\"value\":{\"text/plain\":[]},\"displays\":[1,[],null]}",
		"{\"status\":\"error\",\"error\":[]}",
		"{\"status\":\"error\",\"error\":{\"name\":1,\"value\":2,\"traceback\":\"x\"}}",
		"{\"status\":\"error\",\"error\":{\"traceback\":[1,null,{}]}}",
		"{\"status\":\"exit\",\"exit_code\":-1}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct call_result x = read_answer(rows[i]);

		auto_buf struct buf text = {0};

		assert_true(x.verdict == CODE_OK || x.exit_code == 1);
		call_result_displays(&x, call_result_add, &text);
		call_result_traceback(&x, call_result_add, &text);
		call_result_fini(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_value_and_what_was_displayed),
		cmocka_unit_test(test_an_exit_has_its_status),
		cmocka_unit_test(test_an_error_has_its_traceback),
		cmocka_unit_test(test_any_shape_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
