/*
 * test_highlight - which parts of Python get which colour, also across lines and among hostile
 * bytes.
 */
#include "unit.h"

#include "agent/show/highlight.h"

/*
 * Colours are shown as letters: {k:...} keyword, b builtin, d defined name, s string, n number, c
 * comment.
 */
static void letters(const char *in, struct buf *out)
{
	static const struct {
		const char *code;
		char letter;
	} colours[] = {
		{"\033[35m",   'k'},
                {"\033[36m",   'b'},
                {"\033[1;34m", 'd'},
		{"\033[32m",   's'},
                {"\033[33m",   'n'},
                {"\033[2m",    'c'},
	};

	while (*in) {
		bool found = false;

		if (!strncmp(in, "\033[0m", 4)) {
			buf_text(out, "}");
			in += 4;
			continue;
		}
		for (size_t i = 0; i < COUNT(colours) && !found; i++) {
			size_t length = strlen(colours[i].code);

			if (strncmp(in, colours[i].code, length) != 0)
				continue;
			buf_printf(out, "{%c:", colours[i].letter);
			in += length;
			found = true;
		}
		if (!found)
			buf_add(out, in++, 1);
	}
}

static void is(struct python_at *h, const char *line, const char *wanted)
{
	auto_buf struct buf painted = {0};
	auto_buf struct buf out = {0};

	highlight_line(h, line, strlen(line), &painted);
	letters(buf_string(&painted), &out);
	assert_string_equal(buf_string(&out), wanted);
}

static void test_tokens(void **state)
{
	static const struct {
		const char *line;
		const char *wanted;
	} cases[] = {
		{"",			  ""				 },
		{"x = 1",                     "x = {n:1}"                        },
		{"import pandas as pd",       "{k:import} pandas {k:as} pd"      },
		{"def total(rows):",          "{k:def} {d:total}(rows):"         },
		{"class A(B):",               "{k:class} {d:A}(B):"              },
		{"print('a', \"b\")",         "{b:print}({s:'a'}, {s:\"b\"})"    },
		{"s = f'{x}' + rb\"\\\"\"",   "s = {s:f'{x}'} + {s:rb\"\\\"\"}"  },
		{"x # for ever",              "x {c:# for ever}"                 },
		{"'#' # '",                   "{s:'#'} {c:# '}"                  },
		{"df.print.max(3)",           "df.print.max({n:3})"              },
		{"1.5e-3 + .5 - 0xff_ff",     "{n:1.5e-3} + {n:.5} - {n:0xff_ff}"},
		{"@cache.it",                 "{n:@cache.it}"                    },
		{"a @ b",                     "a @ b"                            },
		{"forever = iffy",            "forever = iffy"                   },
		{"'open",                     "{s:'open}"                        },
		{"'\\",                       "{s:'\\}"                          },
		{"'''one line'''.x",          "{s:'''one line'''}.x"             },
		{"gr\xc3\xb6\xc3\x9f"
		 "e = None", "gr\xc3\xb6\xc3\x9f"
		 "e = {k:None}"     },
		{"not python at all!",        "{k:not} python at {b:all}!"       },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct python_at h = {0};

		is(&h, cases[i].line, cases[i].wanted);
		assert_int_equal(h.quote, 0);
	}
}

static void test_triple_quotes_last_over_lines(void **state)
{
	struct python_at h = {0};

	(void)state;
	is(&h, "x = \"\"\"if", "x = {s:\"\"\"if}");
	is(&h, "for ''' \\\"\"\" 1", "{s:for ''' \\\"\"\" 1}");
	is(&h, "", "");
	is(&h, "end\"\"\" if 1", "{s:end\"\"\"} {k:if} {n:1}");
	is(&h, "if", "{k:if}");
}

static void test_control_sequences_do_not_pass(void **state)
{
	static const char *const lines[] = {
		"\033[2J",
		"x = '\033]0;t\a'",
		"# \xc2\x9b"
		"5n",
		"\033",
		"'''\033[H",
		"1\033[0m2",
		"\xe2\x80\xae",
		"def \033[31m():",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		auto_buf struct buf painted = {0};
		auto_buf struct buf out = {0};
		struct python_at h = {0};

		highlight_line(&h, lines[i], strlen(lines[i]), &painted);
		letters(buf_string(&painted), &out);
		assert_null(strchr(buf_string(&out), '\033'));
		assert_null(strstr(buf_string(&out), "\xc2\x9b"));
		assert_null(strstr(buf_string(&out), "\xe2\x80\xae"));
	}
}

static void test_every_colour_is_reset(void **state)
{
	static const char text[] = "def f(x): return '''a''' + \"b # c\" # \\ 'd' @ 1e5";

	(void)state;
	for (size_t length = 0; length < sizeof(text); length++) {
		auto_buf struct buf out = {0};
		struct python_at h = {0};
		int open = 0;

		highlight_line(&h, text, length, &out);
		for (const char *p = buf_string(&out); (p = strchr(p, '\033')); p++)
			open += !strncmp(p, "\033[0m", 4) ? -1 : 1;
		assert_int_equal(open, 0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_triple_quotes_last_over_lines),
		cmocka_unit_test(test_control_sequences_do_not_pass),
		cmocka_unit_test(test_every_colour_is_reset),
	};

	return cmocka_run_group_tests_name("highlight", tests, NULL, NULL);
}
