/*
 * test_terminal_text - what a terminal shows at the end, at every cut, bounded in time and memory.
 */
#include "unit.h"

#include "base/terminal_text.h"

static const struct row {
	const char *in;
	const char *out;
} rows[] = {
	{"",					      ""				       },
	{"plain, 100 %\ttab\n",                           "plain, 100 %\ttab\n"                    },
	{"no newline",				    "no newline"                             },
	{"a\r\nb\r\n",				    "a\nb\n"				 },
	{"a\r\r\nb",				      "a\nb"				   },
	{" 10%\r 50%\r100%\ndone",                        "100%\ndone"                             },
	{"longer text\rshort",                            "shortr text"                            },
	{"longer text\rshort\033[K\n",                    "short\n"                                },
	{"longer text\r\033[Kshort\n",                    "short\n"                                },
	{"longer text\r\033[0Kshort",                     "short"                                  },
	{"longer text\rshort\033[J",                      "short"                                  },
	{"longer text\033[2Kshort",                       "short"                                  },
	{"longer text\033[2K\rshort",                     "short"                                  },
	{"longer text\r\033[1Kshort",                     "shortr text"                            },
	{"longer text\r\033[?Kshort",                     "shortr text"                            },
	{"kept\nlonger\rshort\n",                         "kept\nshortr\n"                         },
	{"abc\b\bX",				      "aXc"				    },
	{"\b\b\babc",				     "abc"				    },
	{"_\bb_\bo_\bl_\bd",			      "bold"				   },
	{"\xc3\xa4\xe2\x82\xac\r\xf0\x9f\x98\x80",        "\xf0\x9f\x98\x80\xe2\x82\xac"           },
	{"\xe2\x82\xac\b\xc3\xa4",                        "\xc3\xa4"                               },
	{"\xe2\x96\x88\xe2\x96\x88\r\xe2\x96\x91",        "\xe2\x96\x91\xe2\x96\x88"               },
	{"\033[31mred\033[0m \033[38;2;1;2;3mx\033[m",    "red x"                                  },
	{"\033[?25l\033[3A\033[12;40Hup\033[?25h",        "up"                                     },
	{"\033[1 qx\033[!p",			      "x"				      },
	{"\033]0;title\atext",                            "text"                                   },
	{"\033]8;;http://h/\033\\link\033]8;;\033\\",     "link"                                   },
	{"\033P1$r0m\033\\x\033_apc\033\\\033^pm\033\\y", "xy"                                     },
	{"\033]never ended\nnext line",                   "\nnext line"                            },
	{"\033]one\033[31mtext",                          "text"                                   },
	{"\033]cut\030text\033Xcut\032 more",             "text more"                              },
	{"\033(Bascii\033)0\033#8\033%G",                 "ascii"                                  },
	{"\0337saved\0338\033=\033>\033c\033M",           "saved"                                  },
	{"\033\nafter",				   "\nafter"                                },
	{"\033\xc3\xa4",				  "\xc3\xa4"                               },
	{"\033[3\xc3\xa4",				"\xc3\xa4"                               },
	{"\033[31\nm",				    "\nm"				    },
	{"\033\033[1mx",				  "x"				      },
	{"cut \033",				      "cut "				   },
	{"cut \033[31",				   "cut "				   },
	{"bell\a vt\v ff\f so\016 si\017 del\177.",       "bell vt ff so si del."                  },
	{"\xff(\xc3(\xe2\x82",
	 "\xef\xbf\xbd(\xef\xbf\xbd("
	 "\xef\xbf\xbd"									    },
	{"mojibake \xc3\xa2\xc2\x80\xc2\x9d stays",       "mojibake \xc3\xa2\xc2\x80\xc2\x9d stays"},
};

/* Something is shown between two pieces: a bar that is about to be overwritten stays in its line.
 */
static void test_flush(void **state)
{
	struct buf out = {0};
	struct terminal_text t = {.out = &out};

	(void)state;
	terminal_text_add(&t, "10%\r", 4);
	terminal_text_flush(&t);
	assert_string_equal(buf_string(&out), "");
	terminal_text_add(&t, "done", 4);
	terminal_text_flush(&t);
	assert_string_equal(buf_string(&out), "done");
	terminal_text_add(&t, "\033[3", 3);
	terminal_text_flush(&t);
	terminal_text_add(&t, "1m!\xc3", 4);
	terminal_text_flush(&t);
	terminal_text_add(&t, "\xa4", 1);
	terminal_text_end(&t);
	assert_string_equal(buf_string(&out), "done!\xc3\xa4");
	terminal_text_fini(&t);
	buf_fini(&out);
}

static void test_what_is_left(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_buf struct buf out = {0};

		terminal_text(rows[i].in, strlen(rows[i].in), &out);
		assert_string_equal(buf_string(&out), rows[i].out);
	}
}

static void test_nul_is_dropped(void **state)
{
	auto_buf struct buf out = {0};

	(void)state;
	terminal_text("a\0b", 3, &out);
	assert_string_equal(buf_string(&out), "ab");
	assert_int_equal(out.length, 2);
}

static void test_a_stream_may_be_cut_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (size_t cut = 0; cut <= strlen(rows[i].in); cut++) {
			auto_buf struct buf out = {0};
			struct terminal_text t = {.out = &out};

			terminal_text_add(&t, rows[i].in, cut);
			terminal_text_add(&t, rows[i].in + cut, strlen(rows[i].in) - cut);
			terminal_text_end(&t);
			terminal_text_fini(&t);
			assert_string_equal(buf_string(&out), rows[i].out);
		}
	}
}

static void test_the_line_that_goes_on_can_be_seen(void **state)
{
	auto_buf struct buf out = {0};
	auto_buf struct buf line = {0};
	struct terminal_text t = {.out = &out};

	(void)state;
	terminal_text_add(&t, "begin\n 10%\r 50%", 15);
	terminal_text_put_line(&t, &line);
	assert_string_equal(buf_string(&line), " 50%");
	assert_string_equal(buf_string(&out), "begin\n");
	terminal_text_fini(&t);
	terminal_text_fini(&t);
}

static void test_the_cap_counts_what_is_left(void **state)
{
	struct buf out = {.cap = 10};
	struct terminal_text t = {.out = &out};

	(void)state;
	for (int i = 0; i < 100000; i++)
		terminal_text_add(&t, "\rstate\033[K", 9);
	terminal_text_end(&t);
	assert_string_equal(buf_string(&out), "state");
	assert_false(out.truncated);
	for (int i = 0; i < 100000; i++)
		terminal_text_add(&t, "longer", 6);
	assert_in_range(t.capacity, 10, 256);
	terminal_text_end(&t);
	assert_int_equal(out.length, 10);
	assert_true(out.truncated);
	terminal_text_fini(&t);
	buf_fini(&out);
}

/* Each costs the square of its length in a filter that moves or copies the line at every step. */
static void test_hostile_streams_take_linear_work(void **state)
{
	static const char *const pieces[] = {
		"x\033[2Kx", "\bxx\b",  "x\rx",         "\033]",        "\033[",
		"\033[1;",   "x\033[K", "\033P\033X\r", "\xf0\x9f\x98", "x\b\033[J",
	};
	enum { MANY = 400000 };

	(void)state;
	for (size_t i = 0; i < COUNT(pieces); i++) {
		auto_buf struct buf out = {0};
		struct terminal_text t = {.out = &out};

		for (int n = 0; n < MANY; n++)
			terminal_text_add(&t, "y", 1);
		for (int n = 0; n < MANY; n++)
			terminal_text_add(&t, pieces[i], strlen(pieces[i]));
		terminal_text_end(&t);
		assert_true(out.length <= MANY * 16ul);
		terminal_text_fini(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_left),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_nul_is_dropped),
		cmocka_unit_test(test_a_stream_may_be_cut_anywhere),
		cmocka_unit_test(test_the_line_that_goes_on_can_be_seen),
		cmocka_unit_test(test_the_cap_counts_what_is_left),
		cmocka_unit_test(test_hostile_streams_take_linear_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
