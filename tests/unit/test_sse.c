/*
 * test_sse - the events are the same, wherever the bytes are cut.
 */
#include "unit.h"

#include "agent/server/parts.h"

static struct err e;

/* Every event in brackets. */
static int collect(void *context, char *data, size_t length, struct err *err)
{
	struct buf *out = context;
	bool stop = length == 4 && !memcmp(data, "stop", 4);

	assert_int_equal(data[length], '\0');
	buf_text(out, "[");
	buf_add(out, data, length);
	buf_text(out, "]");
	memset(data, '!', length); /* the parser may change it */
	return stop ? err_input(err, "stopped") : 0;
}

static const struct {
	const char *bytes;
	const char *events;
} table[] = {
	{"",					""		      },
	{"\n\n\r\n\r",			      ""                      },
	{"data: a\n\n",			     "[a]"                   },
	{"data:a\n\n",			      "[a]"                   },
	{"data:  a\n\n",			    "[ a]"                  },
	{"data: a\r\n\r\n",                         "[a]"                   },
	{"data: a\r\r",			     "[a]"                   },
	{"data: a\r\n\rdata: b\n\r\n",              "[a][b]"                },
	{"data: a\n\ndata: b\n\n",                  "[a][b]"                },
	{"data: a\r\rdata: b\r\r",                  "[a][b]"                },
	{"data: a\ndata: b\n\n",                    "[a\nb]"                },
	{"data: a\r\ndata: b\rdata: c\n\n",         "[a\nb\nc]"             },
	{"data: a\ndata\ndata:\ndata: b\n\n",       "[a\n\n\nb]"            },
	{"data:\n\n",			       ""                      },
	{"data\n\n",				""                      },
	{": comment\n\ndata: a\n: more\n\n",        "[a]"                   },
	{":\n\n:\n\n",			      ""                      },
	{"event: x\nid: 1\nretry: 5\ndata: a\n\n",  "[a]"                   },
	{"event: x\n\n",			    ""                      },
	{"dat: a\ndatab: b\nDATA: c\n data: d\n\n", ""                      },
	{"error: {\"a\":1}\n\n",                    "[{\"a\":1}]"           },
	{"data: a",				 "[a]"                   },
	{"data: a\n",			       "[a]"                   },
	{"data: a\r",			       "[a]"                   },
	{"data: a\ndata: b",                        "[a\nb]"                },
	{"\xef\xbb\xbf"
	 "data: a\n\n",		    "[a]"		   },
	{"\xef\xbb\xbf\n\ndata: a\n\n",             "[a]"                   },
	{"\n\xef\xbb\xbf"
	 "data: a\n\n",		    ""		      },
	{"data: a: b:c\n\n",                        "[a: b:c]"              },
	{"data: [DONE]\n\n",                        "[[DONE]]"              },
	{"data: \xc3\xa9\xe2\x80\xa8\n\n",          "[\xc3\xa9\xe2\x80\xa8]"},
};

static void take_all(struct parts *s, const char *bytes, size_t length, size_t first, size_t second)
{
	const size_t cuts[] = {0, first, second, length};

	for (size_t i = 0; i + 1 < COUNT(cuts); i++) {
		char *part = malloc(cuts[i + 1] - cuts[i] + 1);

		memcpy(part, bytes + cuts[i], cuts[i + 1] - cuts[i]);
		assert_int_equal(parts_take(s, part, cuts[i + 1] - cuts[i], &e), 0);
		free(part);
	}
	assert_int_equal(parts_finish(s, &e), 0);
}

static void test_two_cuts_everywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		size_t length = strlen(table[i].bytes);

		for (size_t a = 0; a <= length; a++) {
			for (size_t b = a; b <= length; b++) {
				struct buf out = {0};
				struct parts s = {
					.form = PARTS_EVENTS, .part = collect, .context = &out};

				take_all(&s, table[i].bytes, length, a, b);
				assert_string_equal(buf_string(&out), table[i].events);
				parts_fini(&s);
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
		struct parts s = {.form = PARTS_EVENTS, .part = collect, .context = &out};

		for (const char *p = table[i].bytes; *p; p++)
			assert_int_equal(parts_take(&s, p, 1, &e), 0);
		assert_int_equal(parts_finish(&s, &e), 0);
		assert_string_equal(buf_string(&out), table[i].events);
		parts_fini(&s);
		buf_fini(&out);
	}
}

static void test_an_event_comes_as_soon_as_its_end(void **state)
{
	struct buf out = {0};
	struct parts s = {.form = PARTS_EVENTS, .part = collect, .context = &out};

	(void)state;
	assert_int_equal(parts_take(&s, "data: a\r\n\r", 10, &e), 0);
	assert_string_equal(buf_string(&out), "[a]");
	assert_int_equal(parts_take(&s, "\ndata: b\n\n", 10, &e), 0);
	assert_string_equal(buf_string(&out), "[a][b]");
	parts_fini(&s);
	buf_fini(&out);
}

static void test_an_event_has_a_longest_length(void **state)
{
	static const char *const long_ones[] = {
		"data: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		": aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"data: aaaaaa\ndata: aaaaaa\ndata: aaaaaa\ndata: aaaaaa\n",
		"data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n"
		"data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(long_ones); i++) {
		for (size_t step = 1; step < 40; step++) {
			struct buf out = {0};
			struct parts s = {
				.form = PARTS_EVENTS, .part = collect, .context = &out, .max = 20};
			size_t left = strlen(long_ones[i]);
			const char *p = long_ones[i];
			int status = 0;

			while (left && !status) {
				size_t part = left < step ? left : step;

				status = parts_take(&s, p, part, &e);
				assert_true(s.line.length + s.data.length <= 21);
				p += part;
				left -= part;
			}
			assert_int_equal(status, -1);
			assert_true(message_is(e.text, "@parts_take#event 20"));
			parts_fini(&s);
			buf_fini(&out);
		}
	}
}

static void test_the_first_error_ends_it(void **state)
{
	struct buf out = {0};
	struct parts s = {.form = PARTS_EVENTS, .part = collect, .context = &out};

	(void)state;
	assert_int_equal(parts_take(&s, "data: stop\n\ndata: b\n\n", 21, &e), -1);
	assert_string_equal(e.text, "stopped");
	assert_string_equal(buf_string(&out), "[stop]");
	parts_fini(&s);
	buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_cuts_everywhere),
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_an_event_comes_as_soon_as_its_end),
		cmocka_unit_test(test_an_event_has_a_longest_length),
		cmocka_unit_test(test_the_first_error_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
