/*
 * test_reply_end - where a reply that comes in pieces has ended.
 */
#include "unit.h"

#include "agent/reply/reply_end.h"
#include "base/buf.h"

/* Where the reply ended when its text came byte by byte; its length: it did not. */
static size_t end_of(enum chat_piece kind, const char *text, size_t *loop)
{
	struct reply_end r = {0};
	size_t i = 0;

	while (text[i] && !r.ended)
		reply_end_add(&r, kind, text + i++, 1);
	reply_end_add(&r, kind, "", 0);
	*loop = r.loop;
	reply_end_fini(&r);
	return i;
}

static void check(const char *said, const char *rest)
{
	char text[2000];
	size_t loop;

	snprintf(text, sizeof(text), "%s%s", said, rest);
	if (end_of(CHAT_CONTENT, text, &loop) != strlen(said))
		fail_msg("ended elsewhere: %s", text);
}

static void test_an_answer_ends_behind_its_tag(void **state)
{
	(void)state;
	check("<FINAL_ANSWER>42</FINAL_ANSWER>", "\nLet me know if");
	check("<final answer>42</final answer>", " more");
	check("```\n<FINAL_ANSWER>42</FINAL_ANSWER>", "\n```\n");
	check("```python\nx\n```\n<FINAL_ANSWER>42</FINAL_ANSWER>", "\n[EXECUTION RESULT]\n");
}

static void test_an_invented_result_ends_it(void **state)
{
	(void)state;
	check("```python\nprint(1)\n```\n[EXECUTION RESULT]\n", "1\n");
	check("```python\nprint(1)\n```\nUser:\n", "1\n");
}

static void test_what_only_looks_like_an_end_is_none(void **state)
{
	(void)state;
	check("I use <FINAL_ANSWER>the answer</FINAL_ANSWER> when I am done.", "");
	check("<think><FINAL_ANSWER>1</FINAL_ANSWER> ", "");
	check("```python\nprint('<FINAL_ANSWER>1</FINAL_ANSWER>')\n", "");
	check("{\"name\":\"execute_python\",\"arguments\":{\"code\":\"x = 1\\n"
	      "<FINAL_ANSWER>1</FINAL_ANSWER> ",
	      "");
	check("[EXECUTION RESULT]\nUser:\n", "");
}

static void test_lines_over_and_over_end_it(void **state)
{
	auto_buf struct buf text = {0};
	size_t loop;

	(void)state;
	buf_text(&text, "The result:\n");
	for (int i = 0; i < 60; i++)
		buf_text(&text, "```\n11\n```\n");
	assert_true(end_of(CHAT_CONTENT, text.data, &loop) < 300);
	assert_int_equal(loop, strlen("The result:\n```\n11\n```\n"));
	assert_true(end_of(CHAT_THINKING, text.data, &loop) < 300);
	assert_int_equal(loop, 0);
}

static void test_lines_that_differ_go_on(void **state)
{
	auto_buf struct buf text = {0};
	size_t loop;

	(void)state;
	for (int i = 0; i < 60; i++)
		buf_printf(&text, "| %d | 11 |\n", i);
	assert_int_equal(end_of(CHAT_CONTENT, text.data, &loop), text.length);
	for (int i = 0; i < 20; i++)
		buf_text(&text, "| - | 11 |\n");
	assert_int_equal(end_of(CHAT_CONTENT, text.data, &loop), text.length);
}

/* Each byte is read once: a line that never ends would take many minutes otherwise. */
static void test_a_line_that_never_ends_is_read_once(void **state)
{
	struct reply_end r = {0};

	(void)state;
	for (int i = 0; i < 400 * 1000; i++)
		reply_end_add(&r, CHAT_CONTENT, "<b>: [1]; ", 10);
	assert_false(r.ended);
	reply_end_fini(&r);
}

static void test_an_answer_ends_far_along_a_line(void **state)
{
	auto_buf struct buf text = {0};
	size_t loop;

	(void)state;
	buf_text(&text, "<FINAL_ANSWER>");
	for (int i = 0; i < 1000; i++)
		buf_text(&text, "42 [1] <b>: ");
	buf_text(&text, "</final-answer>");
	assert_int_equal(end_of(CHAT_CONTENT, text.data, &loop), text.length);
	buf_text(&text, " more");
	assert_int_equal(end_of(CHAT_CONTENT, text.data, &loop), text.length - strlen(" more"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_answer_ends_behind_its_tag),
		cmocka_unit_test(test_an_invented_result_ends_it),
		cmocka_unit_test(test_what_only_looks_like_an_end_is_none),
		cmocka_unit_test(test_lines_over_and_over_end_it),
		cmocka_unit_test(test_lines_that_differ_go_on),
		cmocka_unit_test(test_a_line_that_never_ends_is_read_once),
		cmocka_unit_test(test_an_answer_ends_far_along_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
