/*
 * test_segment - a reply that is shown while it arrives: prose, thinking, code and answer, cut at
 * every place.
 */
#include "unit.h"

#include "agent/show/segment.h"

/* One letter for each kind, then its text; neighbouring pieces of running text are joined. */
struct told {
	struct buf text;
	int last;
};

static void take(void *context, enum segment_kind kind, const char *text, size_t length)
{
	static const char letters[] = "PTACF#";
	struct told *told = context;
	bool line = kind == SEGMENT_CODE || kind == SEGMENT_FENCE || kind == SEGMENT_TAG;

	if (line || told->last != (int)kind)
		buf_printf(&told->text, "%s%c(", told->text.length ? ")" : "", letters[kind]);
	buf_add(&told->text, text, length);
	told->last = line ? -1 : (int)kind;
}

static void tell(const char *reply, size_t cut, size_t step, struct told *told)
{
	struct segments s = {.take = take, .context = told};
	size_t length = strlen(reply);

	told->last = -1;
	segments_add(&s, reply, cut);
	for (size_t at = cut; at < length; at += step)
		segments_add(&s, reply + at, length - at < step ? length - at : step);
	segments_end(&s);
	if (told->text.length)
		buf_text(&told->text, ")");
}

static const struct row {
	const char *reply;
	const char *told;
} rows[] = {
	{"",							    ""					    },
	{"Hello.",						      "P(Hello.)"				   },
	{"Two\nlines\n",						"P(Two\nlines\n)"                             },
	{"Look:\n```python\nx = 1\n\nprint(x)\n```\nDone.",
	 "P(Look:\n)F(```python)C(x = 1)C()C(print(x))F(```)P(Done.)"                                                 },
	{"```py\r\nx\r\n```\r\n",				       "F(```py)C(x)F(```)"                          },
	{"~~~\nx\n```\n~~~",					    "F(~~~)C(x)C(```)F(~~~)"                      },
	{"````python\n```\n````\n",				     "F(````python)C(```)F(````)"                  },
	{"```python\nunclosed",					 "F(```python)C(unclosed)"                     },
	{"```python",						   "F(```python)"                                },
	{"  ```\n  x\n  ```",					   "F(  ```)C(  x)F(  ```)"                      },
	{"in ```line``` code",					  "P(in ```line``` code)"                       },
	{"```in``` line",					       "P(```in``` line)"                            },
	{"`x` is code",						 "P(`x` is code)"                              },
	{"a < b, a<c, <t> <",					   "P(a < b, a<c, <t> <)"                        },
	{"<think>hm\n```python\nx\n```\n</think>So.",
	 "#(<think>)T(hm\n```python\nx\n```\n)#(</think>)P(So.)"                                                      },
	{"<think>never ends",					   "#(<think>)T(never ends)"                     },
	{"<FINAL_ANSWER>42</FINAL_ANSWER>",                             "#(<FINAL_ANSWER>)A(42)#(</FINAL_ANSWER>)"    },
	{"It is <FINAL_ANSWER>\nforty\n two</FINAL_ANSWER> ok",
	 "P(It is )#(<FINAL_ANSWER>)A(\nforty\n two)#(</FINAL_ANSWER>)P( ok)"                                         },
	{"<final_answer>x</final_answer>",                              "#(<FINAL_ANSWER>)A(x)#(</FINAL_ANSWER>)"     },
	{"<FINAL_ANSWER>see\n```\nx\n```\nend</FINAL_ANSWER>",
	 "#(<FINAL_ANSWER>)A(see\n)F(```)C(x)F(```)A(end)#(</FINAL_ANSWER>)"                                          },
	{"```python\nprint('<FINAL_ANSWER>')\n```",                     "F(```python)C(print('<FINAL_ANSWER>'))F(```)"},
	{"<FINAL_ANS",						  "P(<FINAL_ANS)"                               },
	{"\xe6\x97\xa5\xe6\x9c\xac",                                    "P(\xe6\x97\xa5\xe6\x9c\xac)"                 },
	{"   \n\n  x",						  "P(   \n\n  x)"                               },
	{"<reasoning>a</reasoning>b",                                   "#(<reasoning>)T(a)#(</reasoning>)P(b)"       },
	{"[THINK]a[/THINK]b",					   "#([THINK])T(a)#([/THINK])P(b)"               },
	{"<|channel|>analysis<|message|>a<|channel|>final<|message|>b",
	 "#(<|channel|>analysis<|message|>)T(a)#(<|channel|>final<|message|>)P(b)"                                    },
	{"[final answer]42[/Final-Answer ]",                            "#(<FINAL_ANSWER>)A(42)#(</FINAL_ANSWER>)"    },
	{"a[0] [THIN] <|chan",					  "P(a[0] [THIN] <|chan)"                       },
	{"say `<think>` and \"<final answer>\" first",
	 "P(say `<think>` and \"<final answer>\" first)"							      },
	{"bad \xff\xe6",						"P(bad \xff\xe6)"                             },
};

static void test_what_a_reply_is_made_of(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct told told = {0};

		tell(rows[i].reply, strlen(rows[i].reply), 1, &told);
		assert_string_equal(buf_string(&told.text), rows[i].told);
		buf_fini(&told.text);
	}
}

static void test_every_cut_tells_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (size_t cut = 0; cut <= strlen(rows[i].reply); cut++) {
			for (size_t step = 1; step < 4; step++) {
				struct told told = {0};

				tell(rows[i].reply, cut, step, &told);
				assert_string_equal(buf_string(&told.text), rows[i].told);
				buf_fini(&told.text);
			}
		}
	}
}

static void count(void *context, enum segment_kind kind, const char *text, size_t length)
{
	size_t *bytes = context;

	(void)text;
	assert_true(length <= (kind == SEGMENT_CODE ? 1 : 2) * SEGMENT_LINE);
	*bytes += length + (kind == SEGMENT_CODE && length < SEGMENT_LINE);
}

static void test_endless_lines_come_in_parts(void **state)
{
	size_t bytes = 0;
	struct segments s = {.take = count, .context = &bytes};

	(void)state;
	segments_add(&s, "```\n", 4);
	for (int i = 0; i < 100000; i++) {
		segments_add(&s, "xxxxxxxxxx", 10);
		assert_true(s.held.length < 2 * SEGMENT_LINE);
	}
	segments_end(&s);
	assert_true(bytes >= 1000000);
}

static void test_a_fence_that_never_ends_its_line_is_told(void **state)
{
	size_t bytes = 0;
	struct segments s = {.take = count, .context = &bytes};

	(void)state;
	segments_add(&s, "```", 3);
	for (int i = 0; i < 1000; i++)
		segments_add(&s, "pppppppppp", 10);
	assert_true(s.held.length < 2 * SEGMENT_LINE);
	segments_end(&s);
	assert_true(bytes >= 10003);
}

static void test_language_is_python_or_none(void **state)
{
	static const struct {
		const char *fence;
		bool python;
	} cases[] = {
		{"```\n",                   true },
		{"```python\n",             true },
		{"```Python3 title=x\n",    true },
		{"``` py\n",                true },
		{"```bash\n",               false},
		{"```json\n",               false},
		{"```pythonic\n",           false},
		{"~~~ipython\n",            true },
		{"```{.python}\n",          true },
		{"```tool_code\n",          true },
		{"```python3.11:main.py\n", true },
		{"```{r}\n",                false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t bytes = 0;
		struct segments s = {.take = count, .context = &bytes};

		segments_add(&s, cases[i].fence, strlen(cases[i].fence));
		assert_int_equal(s.now, SEGMENT_CODE);
		assert_int_equal(s.python, cases[i].python);
		segments_end(&s);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_reply_is_made_of),
		cmocka_unit_test(test_every_cut_tells_the_same),
		cmocka_unit_test(test_endless_lines_come_in_parts),
		cmocka_unit_test(test_a_fence_that_never_ends_its_line_is_told),
		cmocka_unit_test(test_language_is_python_or_none),
	};

	return cmocka_run_group_tests_name("segment", tests, NULL, NULL);
}
