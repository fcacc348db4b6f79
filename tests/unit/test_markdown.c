/*
 * test_markdown - Markdown as a person sees it, cut into pieces anywhere.
 */
#include "unit.h"

#include <sys/mman.h>

#include "agent/show/markdown.h"
#include "base/io.h"
#include "base/own.h"

static struct err e;

/* Styles as tags. */
static void name_styles(const char *text, struct buf *out)
{
	static const char *const styles[][2] = {
		{"\033[1m",  "<b>"},
                {"\033[3m",  "<i>"},
                {"\033[36m", "<c>"},
		{"\033[2m",  "<d>"},
                {"\033[0m",  "</>"},
	};

	while (*text) {
		size_t i = 0;

		while (i < COUNT(styles) && strncmp(text, styles[i][0], strlen(styles[i][0])) != 0)
			i++;
		if (i < COUNT(styles))
			buf_text(out, styles[i][1]);
		else
			buf_add(out, text, 1);
		text += i < COUNT(styles) ? strlen(styles[i][0]) : 1;
	}
}

/* What is written for a text that comes in pieces of `step` bytes, to a window of 30 columns. */
static void writes(const char *text, size_t step, const char *wanted)
{
	auto_fd int fd = memfd_create("markdown", MFD_CLOEXEC);
	auto_buf struct buf seen = {0};
	auto_buf struct buf named = {0};
	struct console c;
	struct markdown m = {.console = &c};
	size_t length = strlen(text);

	setenv("COLUMNS", "30", 1);
	console_open(&c, fd);
	c.colour = true;
	for (size_t at = 0; at < length; at += step)
		markdown_add(&m, text + at, length - at < step ? length - at : step);
	markdown_end(&m);
	console_close(&c);
	lseek(fd, 0, SEEK_SET);
	accepts(io_read_fd(fd, "markdown", 1 << 20, &seen, &e), "markdown");
	name_styles(buf_string(&seen), &named);
	assert_string_equal(buf_string(&named), wanted);
}

static void shows(const char *text, const char *wanted)
{
	writes(text, strlen(text), wanted);
	writes(text, 3, wanted);
	writes(text, 1, wanted);
}

static void test_marks_become_styles(void **state)
{
	(void)state;
	shows("**March** was *the* `best` one.\n", "<b>March</> was <i>the</> <c>best</> one.\n");
	shows("**two words**, `a * b`!\n", "<b>two</> <b>words</>, <c>a</> <c>*</> <c>b</>!\n");
	shows("no newline: **b**", "no newline: <b>b</>\n");
}

static void test_what_is_no_mark_stays(void **state)
{
	(void)state;
	shows("2**3 * 4 *x **y `z\n", "2**3 * 4 *x **y `z\n");
	shows("snake_case_name \\*so\\* a\\b\n", "snake_case_name *so* a\\b\n");
	shows("f(*args, **kwargs)\n", "f(*args, **kwargs)\n");
	shows("a *b\nc* d\n", "a *b\nc* d\n");
	shows("--flag x\n1.5 y\n#7\n", "--flag x\n1.5 y\n#7\n");
}

static void test_lines_break_between_words(void **state)
{
	(void)state;
	shows("one two three four five six seven eight nine\n\nten\n",
	      "one two three four five six\nseven eight nine\n\nten\n");
	shows("- one two three four five six seven\n  - deep\n12. eleven\n",
	      "\xe2\x80\xa2 one two three four five six\n  seven\n  \xe2\x80\xa2 deep\n12. "
	      "eleven\n");
	shows("0123456789012345678901234567890123456789 a\n",
	      "0123456789012345678901234567890123456789 a\n");
}

#define LINE5 "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
#define BAR   "<d> \xe2\x94\x82 </>"

static void test_headings_quotations_and_rules(void **state)
{
	(void)state;
	shows("# Title here\n> said\n---\n",
	      "<b>Title</> <b>here</>\n<d>\xe2\x94\x82 </>said\n<d>" LINE5 LINE5 LINE5 LINE5 LINE5
		      LINE5 "</>\n");
}

static void test_columns_of_a_table_are_aligned(void **state)
{
	(void)state;
	shows("So:\n| Month | Sum |\n|:---|--:|\n| **May** | 5 |\n| October | 1200 |\nend\n",
	      "So:\n<b>Month</>  " BAR " <b>Sum</>\n<d>" LINE5
	      "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\xbc" LINE5 "</>\n<b>May</>    " BAR
	      "   5\nOctober" BAR "1200\nend\n");
	shows("| a | b |\n", "| a | b |\n");
	shows("| a |\n| b |\n", "| a |\n| b |\n");
	shows("| 0123456789012345 | 01234567890123456 |\n|-|-|\n",
	      "| 0123456789012345 | 01234567890123456 |\n|-|-|\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks_become_styles),
		cmocka_unit_test(test_what_is_no_mark_stays),
		cmocka_unit_test(test_lines_break_between_words),
		cmocka_unit_test(test_headings_quotations_and_rules),
		cmocka_unit_test(test_columns_of_a_table_are_aligned),
	};

	return cmocka_run_group_tests_name("markdown", tests, NULL, NULL);
}
