/*
 * test_ndjson - the lines are the same, wherever the bytes are cut.
 */
#include "unit.h"

#include "agent/server/parts.h"

static struct err e;

/* Every line in brackets; a line "stop" ends it. */
static int collect(void *context, char *text, size_t length, struct err *err)
{
	struct buf *out = context;

	assert_int_equal(text[length], '\0');
	buf_text(out, "[");
	buf_add(out, text, length);
	buf_text(out, "]");
	memset(text, '!', length); /* the parser may change it */
	return length == 4 && !memcmp(text, "!!!!", 4) && strstr(out->data, "[stop]")
		       ? err_input(err, "stopped")
		       : 0;
}

static const struct {
	const char *bytes;
	const char *lines;
} table[] = {
	{"",			     ""			    },
	{"\n",			   ""			    },
	{"\r\n\r\n",		     ""			    },
	{"a",			    "[a]"			 },
	{"a\n",			  "[a]"			 },
	{"a\r\n",			"[a]"			 },
	{"a\nb",			 "[a][b]"                      },
	{"a\r\nb\r\n",                   "[a][b]"                      },
	{"a\n\n\nb\n",                   "[a][b]"                      },
	{"\n\na",			"[a]"			 },
	{"a\rb\n",		       "[a\rb]"                      },
	{"a\r",			  "[a]"			 },
	{"\r",			   ""			    },
	{"{\"a\":\"\\n\"}\n{\"b\":1}\n", "[{\"a\":\"\\n\"}][{\"b\":1}]"},
	{"\xc3\xa9\n\xf0\x9f\x98\x80\n", "[\xc3\xa9][\xf0\x9f\x98\x80]"},
	{"\xe2\x80\xa8x\n",              "[\xe2\x80\xa8x]"             },
};

static void take_all(struct parts *n, const char *bytes, size_t length, size_t first, size_t second)
{
	const size_t cuts[] = {0, first, second, length};

	for (size_t i = 0; i + 1 < COUNT(cuts); i++) {
		char *part = malloc(cuts[i + 1] - cuts[i] + 1);

		memcpy(part, bytes + cuts[i], cuts[i + 1] - cuts[i]);
		assert_int_equal(parts_take(n, part, cuts[i + 1] - cuts[i], &e), 0);
		free(part);
	}
	assert_int_equal(parts_finish(n, &e), 0);
}

static void test_two_cuts_everywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		size_t length = strlen(table[i].bytes);

		for (size_t a = 0; a <= length; a++) {
			for (size_t b = a; b <= length; b++) {
				struct buf out = {0};
				struct parts n = {.part = collect, .context = &out};

				take_all(&n, table[i].bytes, length, a, b);
				assert_string_equal(buf_string(&out), table[i].lines);
				parts_fini(&n);
				buf_fini(&out);
			}
		}
	}
}

static void test_byte_by_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct buf out = {0};
		struct parts n = {.part = collect, .context = &out};

		for (const char *p = table[i].bytes; *p; p++)
			assert_int_equal(parts_take(&n, p, 1, &e), 0);
		assert_int_equal(parts_finish(&n, &e), 0);
		assert_string_equal(buf_string(&out), table[i].lines);
		parts_fini(&n);
		buf_fini(&out);
	}
}

static void test_nul_is_a_byte_like_others(void **state)
{
	struct buf out = {0};
	struct parts n = {.part = collect, .context = &out};

	(void)state;
	assert_int_equal(parts_take(&n, "a\0b\n", 4, &e), 0);
	assert_int_equal(out.length, 5);
	assert_memory_equal(out.data, "[a\0b]", 5);
	parts_fini(&n);
	buf_fini(&out);
}

static void test_a_line_has_a_longest_length(void **state)
{
	for (size_t length = 1; length < 12; length++) {
		for (size_t cut = 0; cut <= length; cut++) {
			struct buf out = {0};
			struct parts n = {.part = collect, .context = &out, .max = 8};
			int status = parts_take(&n, "aaaaaaaaaaaaaaaa", cut, &e);

			if (!status)
				status = parts_take(&n, "aaaaaaaaaaaaaaaa", length - cut, &e);
			assert_int_equal(status, length > 8 ? -1 : 0);
			if (status)
				assert_true(message_is(e.text, "@parts_take#1 8"));
			parts_fini(&n);
			buf_fini(&out);
		}
	}
	(void)state;
}

static void test_ten_megabytes_are_a_line(void **state)
{
	size_t length = 10u << 20;
	char *text = malloc(length);
	struct buf out = {0};
	struct parts n = {.part = collect, .context = &out};

	(void)state;
	memset(text, 'x', length);
	text[length - 1] = '\n';
	for (size_t at = 0; at < length; at += 16384)
		assert_int_equal(parts_take(&n, text + at, 16384, &e), 0);
	assert_int_equal(out.length, length + 1);
	parts_fini(&n);
	buf_fini(&out);
	free(text);
}

static void test_the_first_error_ends_it(void **state)
{
	struct buf out = {0};
	struct parts n = {.part = collect, .context = &out};

	(void)state;
	assert_int_equal(parts_take(&n, "a\nstop\nb\n", 9, &e), -1);
	assert_string_equal(e.text, "stopped");
	assert_string_equal(buf_string(&out), "[a][stop]");
	parts_fini(&n);
	buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_cuts_everywhere),
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_nul_is_a_byte_like_others),
		cmocka_unit_test(test_a_line_has_a_longest_length),
		cmocka_unit_test(test_ten_megabytes_are_a_line),
		cmocka_unit_test(test_the_first_error_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
