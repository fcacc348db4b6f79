/*
 * test_progress - a progress bar at a terminal, a few plain lines elsewhere.
 */
#include "unit.h"

#include "agent/server/progress.h"
#include "base/buf.h"

/* Returns what is printed for a whole download; free it. */
static char *show(bool terminal, const char *status, unsigned steps)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	struct progress p = {.out = out, .terminal = terminal};

	progress_step(&p, "pulling manifest", 0, 0);
	for (unsigned i = 0; i <= steps; i++)
		progress_step(&p, status, i * 1000000ull, steps * 1000000ull);
	progress_step(&p, "success", 0, 0);
	progress_end(&p);
	fclose(out);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void test_plain_lines_are_few(void **state)
{
	char *text = show(false, "pulling 00aa", 1000);

	(void)state;
	assert_int_equal(strncmp(text, "pulling manifest\n", 17), 0);
	assert_int_equal(count(text, "pulling 00aa: "), 11);
	assert_non_null(strstr(text, "pulling 00aa: 100% of 1.0 GB\n"));
	assert_non_null(strstr(text, "success\n"));
	assert_null(strchr(text, '\r'));
	assert_null(strchr(text, '\x1b'));
	free(text);
}

static void test_a_bar_is_one_line(void **state)
{
	char *text = show(true, "pulling 00aa", 1000);

	(void)state;
	assert_int_equal(count(text, "\r"), 101);
	assert_int_equal(count(text, "\n"), 3);
	assert_non_null(strstr(text, "[..............................]   0%"));
	assert_non_null(strstr(text, "[##############################] 100%"));
	free(text);
}

static void test_a_hostile_status_is_shown_escaped(void **state)
{
	for (int terminal = 0; terminal < 2; terminal++) {
		char *text = show(terminal, "\x1b]0;owned\a\nx", 1);

		assert_null(strstr(text, "\x1b]"));
		assert_null(strchr(text, '\a'));
		assert_non_null(strstr(text, "\\x1b]0;owned"));
		free(text);
	}
	(void)state;
}

static void test_strange_numbers(void **state)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	struct progress p = {.out = out, .terminal = true};

	(void)state;
	progress_step(&p, "a", 5, 1);
	progress_step(&p, "a", UINT64_MAX, UINT64_MAX);
	progress_step(&p, "a", 1, UINT64_MAX);
	progress_step(&p, "", 1, 0);
	progress_end(&p);
	fclose(out);
	assert_non_null(strstr(text, "100%"));
	assert_non_null(strstr(text, "  0%"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_lines_are_few),
		cmocka_unit_test(test_a_bar_is_one_line),
		cmocka_unit_test(test_a_hostile_status_is_shown_escaped),
		cmocka_unit_test(test_strange_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
