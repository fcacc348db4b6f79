/*
 * test_escape - what reaches a terminal, what is escaped, and text that is cut at every place.
 */
#include "unit.h"

#include "agent/show/console.h"
#include "base/escape.h"
#include "base/utf8.h"

static const struct row {
	const char *in;
	const char *out;
} rows[] = {
	{"",					 ""				       },
	{"plain text, 100 %",                        "plain text, 100 %"                      },
	{"two\nlines\tand a tab",                    "two\nlines\tand a tab"                  },
	{"Gr\xc3\xbc\xc3\x9f"
	 "e \xe2\x82\xac \xf0\x9f\x98\x80", "Gr\xc3\xbc\xc3\x9f"
	 "e \xe2\x82\xac \xf0\x9f\x98\x80"},
	{"a\r\nb",				   "a\nb"				   },
	{"a\rb",				     "a\\rb"				  },
	{"a\r\r\nb",				 "a\\r\nb"				},
	{"end\r",				    "end\\r"				 },
	{"\033[31mred\033[0m",                       "\\x1b[31mred\\x1b[0m"                   },
	{"\033]0;title\a",			   "\\x1b]0;title\\x07"                     },
	{"\033P\033\\",			      "\\x1bP\\x1b\\"                          },
	{"back\bspace\177",                          "back\\x08space\\x7f"                    },
	{"\x0b\x0c\x0e\x0f\x05",                     "\\x0b\\x0c\\x0e\\x0f\\x05"              },
	{"c1 \xc2\x9b"
	 "31m",			     "c1 \\x9b31m"			    },
	{"raw \x9b"
	 "31m",			     "raw \\x9b31m"			   },
	{"nel \xc2\x85",			     "nel \\x85"                              },
	{"\xe2\x80\xae"
	 "evil\xe2\x81\xa9",		"\\u202eevil\\u2069"                     },
	{"\xe2\x80\xa8\xe2\x80\xa9",                 "\\u2028\\u2029"                         },
	{"\xef\xbb\xbf"
	 "bom",			     "\\ufeffbom"			     },
	{"\xf3\xa0\x81\x81",                         "\\U000e0041"                            },
	{"\xef\xbf\xbf",			     "\\uffff"                                },
	{"\xef\xbf\xbd",			     "\xef\xbf\xbd"                           },
	{"\xd7\xa9\xe2\x80\x8f",                     "\xd7\xa9\xe2\x80\x8f"                   },
	{"\xff\xfe",				 "\\xff\\xfe"                             },
	{"\xc3",				     "\\xc3"				  },
	{"\xc3(",				    "\\xc3("				 },
	{"\xe2\x82",				 "\\xe2\\x82"                             },
	{"\xf0\x9f\x98",			     "\\xf0\\x9f\\x98"                        },
	{"\xc0\xaf",				 "\\xc0\\xaf"                             },
	{"\xed\xa0\x80",			     "\\xed\\xa0\\x80"                        },
	{"\xf4\x90\x80\x80",                         "\\xf4\\x90\\x80\\x80"                   },
};

static void test_what_passes_and_what_is_shown(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_buf struct buf out = {0};

		escape_text(rows[i].in, strlen(rows[i].in), &out);
		assert_string_equal(buf_string(&out), rows[i].out);
	}
}

static void test_every_cut_in_two_and_three_gives_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *in = rows[i].in;
		size_t length = strlen(in);

		for (size_t a = 0; a <= length; a++) {
			for (size_t b = a; b <= length; b++) {
				auto_buf struct buf out = {0};
				struct escape s = {0};

				escape_add(&s, in, a, &out);
				escape_add(&s, in + a, b - a, &out);
				escape_add(&s, in + b, length - b, &out);
				escape_end(&s, &out);
				assert_string_equal(buf_string(&out), rows[i].out);
			}
		}
	}
}

static void test_nul_is_shown(void **state)
{
	auto_buf struct buf out = {0};

	(void)state;
	escape_text("a\0b", 3, &out);
	assert_string_equal(buf_string(&out), "a\\x00b");
}

static void test_a_line_stays_one_line(void **state)
{
	auto_buf struct buf out = {0};

	(void)state;
	escape_line("a\nb\tc\r\n", 7, &out);
	assert_string_equal(buf_string(&out), "a\\nb\\tc\\r\\n");
}

static void encode(uint32_t code, char *out, size_t *length)
{
	size_t n = 0;

	if (code < 0x80) {
		out[n++] = (char)code;
	} else if (code < 0x800) {
		out[n++] = (char)(0xc0 | code >> 6);
	} else if (code < 0x10000) {
		out[n++] = (char)(0xe0 | code >> 12);
		out[n++] = (char)(0x80 | (code >> 6 & 0x3f));
	} else {
		out[n++] = (char)(0xf0 | code >> 18);
		out[n++] = (char)(0x80 | (code >> 12 & 0x3f));
		out[n++] = (char)(0x80 | (code >> 6 & 0x3f));
	}
	if (code >= 0x80)
		out[n++] = (char)(0x80 | (code & 0x3f));
	*length = n;
}

/* Escaped in a line, but not in a text; escape.c gives the reason for each. */
static bool is_of_lines(uint32_t code)
{
	static const uint32_t codes[] = {'\t',   '\n',   0x00ad, 0x034f, 0x061c, 0x115f, 0x1160,
					 0x17b4, 0x17b5, 0x200b, 0x200e, 0x200f, 0x3164, 0xffa0};

	for (size_t i = 0; i < COUNT(codes); i++)
		if (codes[i] == code)
			return true;
	return (code >= 0x180b && code <= 0x180f) || (code >= 0x1bca0 && code <= 0x1bca3) ||
	       (code >= 0x1d173 && code <= 0x1d17a);
}

static bool is_of_everything(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || (code >= 0xd800 && code <= 0xdfff) ||
	       (code >= 0xfdd0 && code <= 0xfdef) || code == 0xfeff ||
	       (code >= 0xfff0 && code <= 0xfffb) || (code & 0xfffe) == 0xfffe ||
	       (code >= 0xe0000 && code <= 0xe0fff);
}

static void test_every_code_point_in_a_line_and_in_a_text(void **state)
{
	(void)state;
	for (uint32_t code = 0; code < 0x110000; code++) {
		bool line = is_of_everything(code) || is_of_lines(code);
		bool text = is_of_everything(code) && code != '\n' && code != '\t';
		auto_buf struct buf in_line = {0};
		auto_buf struct buf in_text = {0};
		char bytes[4];
		size_t n;

		encode(code, bytes, &n);
		escape_line(bytes, n, &in_line);
		escape_text(bytes, n, &in_text);
		if (line != (in_line.length != n || memcmp(in_line.data, bytes, n) != 0) ||
		    text != (in_text.length != n || memcmp(in_text.data, bytes, n) != 0))
			fail_msg("U+%04X: \"%s\", \"%s\"", code, in_line.data, in_text.data);
	}
}

static void test_every_pair_of_bytes_is_printable_afterwards(void **state)
{
	(void)state;
	for (unsigned pair = 0; pair < 0x10000; pair++) {
		const char bytes[2] = {(char)(pair >> 8), (char)pair};
		auto_buf struct buf out = {0};
		auto_buf struct buf again = {0};

		escape_line(bytes, 2, &out);
		assert_true(utf8_is_valid(out.data, out.length));
		for (size_t i = 0, used; i < out.length; i += used) {
			uint32_t code;

			used = utf8_decode((const unsigned char *)out.data + i, out.length - i,
					   &code);
			assert_true(code >= 0x20 && !(code >= 0x7f && code < 0xa0));
		}
		escape_line(out.data, out.length, &again);
		assert_string_equal(out.data, again.data);
	}
}

static void test_every_code_point_is_printable_or_shown(void **state)
{
	(void)state;
	for (uint32_t code = 0x80; code < 0x20000; code++) {
		auto_buf struct buf out = {0};
		char text[4];
		size_t n = 0;

		if (code < 0x800)
			text[n++] = (char)(0xc0 | code >> 6);
		else if (code < 0x10000)
			text[n++] = (char)(0xe0 | code >> 12);
		else
			text[n++] = (char)(0xf0 | code >> 18);
		if (code >= 0x10000)
			text[n++] = (char)(0x80 | (code >> 12 & 0x3f));
		if (code >= 0x800)
			text[n++] = (char)(0x80 | (code >> 6 & 0x3f));
		text[n++] = (char)(0x80 | (code & 0x3f));
		escape_text(text, n, &out);
		assert_true(utf8_is_valid(out.data, out.length));
		assert_true(out.length == n || out.data[0] == '\\');
		if (code < 0xa0)
			assert_int_equal(out.data[0], '\\');
	}
}

static void test_whole_characters(void **state)
{
	static const struct {
		const char *text;
		size_t whole;
	} cases[] = {
		{"",                 0},
		{"ab",               2},
		{"a\xc3",            1},
		{"a\xc3\xbc",        3},
		{"\xe2\x82",         0},
		{"\xf0\x9f\x98",     0},
		{"\xf0\x9f\x98\x80", 4},
		{"a\r",              1},
		{"\xff",             1},
		{"\x80\x80\x80\x80", 4},
		{"\xed\xa0",         2}, /* cannot become a character any more */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(escape_whole(cases[i].text, strlen(cases[i].text)),
				 cases[i].whole);
}

static void test_columns_of_text(void **state)
{
	static const struct {
		const char *text;
		size_t columns;
		size_t length;
		size_t used;
	} cases[] = {
		{"abc",                      10, 3, 3},
		{"abc",                      2,  2, 2},
		{"abc",                      0,  0, 0},
		{"\xe6\x97\xa5\xe6\x9c\xac", 3,  3, 2}, /* wide characters: only one fits */
		{"e\xcc\x81x",               1,  3, 1}, /* a combining mark takes no column of its own */
		{"\xf0\x9f\x98\x80",         2,  4, 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t used;

		assert_int_equal(
			console_cut(cases[i].text, strlen(cases[i].text), cases[i].columns, &used),
			cases[i].length);
		assert_int_equal(used, cases[i].used);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_passes_and_what_is_shown),
		cmocka_unit_test(test_every_cut_in_two_and_three_gives_the_same),
		cmocka_unit_test(test_nul_is_shown),
		cmocka_unit_test(test_a_line_stays_one_line),
		cmocka_unit_test(test_every_code_point_in_a_line_and_in_a_text),
		cmocka_unit_test(test_every_pair_of_bytes_is_printable_afterwards),
		cmocka_unit_test(test_every_code_point_is_printable_or_shown),
		cmocka_unit_test(test_whole_characters),
		cmocka_unit_test(test_columns_of_text),
	};

	return cmocka_run_group_tests_name("escape", tests, NULL, NULL);
}
