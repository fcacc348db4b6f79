/*
 * test_extract - calls that a server has parsed, and hostile replies.
 */
#include "unit.h"

#include <time.h>

#include "agent/data/python_lexer.h"
#include "agent/reply/extract.h"
#include "agent/reply/loose_json.h"

static struct extract x;

static int end(void **state)
{
	(void)state;
	extract_fini(&x);
	return 0;
}

static int call(const char *name, const char *arguments)
{
	struct chat_call c = {.name = (char *)name, .arguments = (char *)arguments};

	extract_fini(&x);
	return extract_call(&c, &x);
}

static void test_a_call_gives_its_code(void **state)
{
	(void)state;
	assert_int_equal(call("execute_python", "{\"code\": \"print(1)\"}"), 0);
	assert_string_equal(x.code, "print(1)\n");
	assert_null(x.note);
	assert_null(x.description);
}

static void test_a_call_describes_itself_in_one_line(void **state)
{
	(void)state;
	assert_int_equal(call("execute_python",
			      "{\"code\": \"1\", \"description\": "
			      "\"Print\\u001b[31m one\\nand more\"}"),
			 0);
	assert_string_equal(x.description, "Print[31m one");
}

static void test_code_of_a_call_is_taken_out_of_its_fence(void **state)
{
	(void)state;
	assert_int_equal(call("execute_python",
			      "{\"script\": \"```py\\n  !pip install x\\n  print(1)\\n```\"}"),
			 0);
	assert_string_equal(x.code, "  !pip install x\n  print(1)\n");
	assert_null(x.note);
}

static void test_a_call_of_another_tool_is_refused(void **state)
{
	(void)state;
	assert_int_equal(call("rm", "{\"code\": \"print(1)\"}"), -1);
	assert_null(x.code);
	assert_string_equal(x.note,
			    "There is no tool \"rm\". The only tool is execute_python, its "
			    "argument is code.");
}

static void test_a_call_without_code_is_refused(void **state)
{
	static const char *const arguments[] = {
		"{}",
		"",
		"null",
		"[]",
		"{\"code\": 5}",
		"{\"code\": \"\"}",
		"{\"code\": null}",
		"{\"code\": \"  \\n\"}",
		"{\"a\": \"x\", \"b\": \"y\"}",
		"{\"code\": \"x",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(arguments); i++) {
		if (!call("execute_python", arguments[i]))
			fail_msg("accepted: %s", arguments[i]);
		assert_null(x.code);
		assert_non_null(strstr(x.note, "could not be read"));
	}
}

static void test_a_call_without_name_or_arguments(void **state)
{
	struct chat_call c = {0};

	(void)state;
	assert_int_equal(extract_call(&c, &x), -1);
	assert_non_null(x.note);
	c.name = (char *)"execute_python";
	extract_fini(&x);
	assert_int_equal(extract_call(&c, &x), -1);
	assert_non_null(x.note);
}

/* A piece repeated many times must be read in a time that only quadratic behaviour would exceed. */
static void floods(const char *piece)
{
	size_t n = strlen(piece);
	struct buf text = {0};
	struct timespec from;
	struct timespec to;

	while (text.length + n < 300000)
		buf_text(&text, piece);
	extract_fini(&x);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	extract_reply(buf_string(&text), &x);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	buf_fini(&text);
	if (to.tv_sec - from.tv_sec > 20)
		fail_msg("%s: %d s", piece, (int)(to.tv_sec - from.tv_sec));
}

static void test_repetition_costs_no_square(void **state)
{
	static const char *const pieces[] = {
		"`",
		"```",
		"```\n",
		"``` a ",
		"```python\n",
		"```python\n'''\n",
		"~~~\n",
		"~~~ a\n",
		"{",
		"{\"name\": ",
		"{\"",
		"[",
		"<think>",
		"</think>",
		"<FINAL_ANSWER>",
		"</FINAL_ANSWER>",
		"execute_python",
		"execute_python(\"",
		"execute_python {",
		"<|python_tag|>",
		"\xe2\x80\x9c",
		"\xe2\x80\x99"
		"a",
		"print(\xe2\x80\x9c",
		"'",
		"\"\"\"",
		"a = 1\n",
		"\\",
		"- ",
		"[EXECUTION RESULT]\n",
		"Final answer: x\n",
		"<code>\n",
		"<",
		">>> x\n",
		" ",
		"\n",
		"\r",
		"{\"name\": \"execute_python\", \"arguments\": {\"code\": \"print(1)\"}}",
		"```python\nprint(\xe2\x80\x9c"
		"a\xe2\x80\x9d)\n```\n",
		"# ``` x ",
		"</think>```",
		"```</think>",
		"</think>```\n",
		"<think>```python\n",
		"```python\n'''</think>\n",
		"```python\n'\\\n</think>\n",
		"```python\n# </think>\n",
		"<|im_end|>```",
		"<|im_end|>",
		"```py\nUser:\n",
		"```py\n'''\nUser:\n'''\n",
		"```\nexecute_python('",
	};

	(void)state;
	needs_no_valgrind("this takes minutes");
	for (size_t i = 0; i < COUNT(pieces); i++)
		floods(pieces[i]);
}

static void test_the_lexer_knows_strings_and_comments(void **state)
{
	static const struct {
		const char *text;
		char quote;
		bool triple;
		bool comment;
		unsigned depth;
	} cases[] = {
		{"x = 'a",      '\'', false, false, 0},
                {"x = 'a\\'",   '\'', false, false, 0},
		{"x = 'a\n",    0,    false, false, 0},
                {"x = 'a\\\n",  '\'', false, false, 0},
		{"x = '''a\n",  '\'', true,  false, 0},
                {"x = '''a''",  '\'', true,  false, 0},
		{"x = '''a'''", 0,    false, false, 0},
                {"x = ''",      0,    false, false, 0},
		{"x = '' + \"", '"',  false, false, 0},
                {"# it's",      0,    false, true,  0},
		{"# it's\n",    0,    false, false, 0},
                {"f([{1}",      0,    false, false, 2},
		{"f())",        0,    false, false, 0},
                {"x = '#'",     0,    false, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct python_at at = {0};
		size_t length = strlen(cases[i].text);

		for (size_t k = 0; k < length;)
			k += python_step(&at, cases[i].text + k, length - k);
		if (at.quote != cases[i].quote || at.triple != cases[i].triple ||
		    at.comment != cases[i].comment || at.depth != cases[i].depth)
			fail_msg("%s: %d %d %d %u", cases[i].text, at.quote, at.triple, at.comment,
				 at.depth);
	}
}

static void test_loose_json_becomes_strict(void **state)
{
	static const struct {
		const char *loose;
		const char *strict; /* NULL: the piece has no end */
	} cases[] = {
		{"{}",			     "{}"                        },
		{"{\"a\": 1} rest",                "{\"a\": 1}"                },
		{"{'a': 'b\"c'}",                  "{\"a\": \"b\\\"c\"}"       },
		{"[1, 2,]",                        "[1, 2]"                    },
		{"{\"a\": True, \"b\": None}",     "{\"a\": true, \"b\": null}"},
		{"{\"a\": \"x\ny\"}",              "{\"a\": \"x\\u000ay\"}"    },
		{"{\"a\": \"\\d\\'\"}",            "{\"a\": \"\\\\d'\"}"       },
		{"{\"a\": \"\"}",                  "{\"a\": \"\"}"             },
		{"{\"a\": \"\", \"b\": \"\"}",     "{\"a\": \"\", \"b\": \"\"}"},
		{"{\"a\": \"\"\"x \"y\" z\"\"\"}", "{\"a\": \"x \\\"y\\\" z\"}"},
		{"{\"a\": `x`}",                   "{\"a\": \"x\"}"            },
		{"{\"a\": [1, {\"b\": 2",          "{\"a\": [1, {\"b\": 2}]}"  },
		{"{\"a\": \"b",                    NULL                        },
		{"\"a\"",			  NULL                        },
		{"",			       NULL                        },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		auto_buf struct buf out = {0};
		size_t n = loose_json(cases[i].loose, strlen(cases[i].loose), &out);

		if (!n != !cases[i].strict || (n && strcmp(buf_string(&out), cases[i].strict) != 0))
			fail_msg("%s: %s", cases[i].loose, buf_string(&out));
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, end)
	const struct CMUnitTest tests[] = {
		TEST(test_a_call_gives_its_code),
		TEST(test_a_call_describes_itself_in_one_line),
		TEST(test_code_of_a_call_is_taken_out_of_its_fence),
		TEST(test_a_call_of_another_tool_is_refused),
		TEST(test_a_call_without_code_is_refused),
		TEST(test_a_call_without_name_or_arguments),
		TEST(test_repetition_costs_no_square),
		TEST(test_the_lexer_knows_strings_and_comments),
		TEST(test_loose_json_becomes_strict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
