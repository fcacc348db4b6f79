/*
 * test_setup_file - files below a root: what is ours is written and removed, else refused.
 */
#include "unit.h"

#include "admin/setup_file.h"
#include "admin/setup_plan.h"
#include "base/buf.h"

#define PATH "/etc/tmpfiles.d/x.conf"

static int base = -1;

static int begin(void **state)
{
	(void)state;
	base = unit_enter();
	return 0;
}

static int end(void **state)
{
	(void)state;
	unit_leave(base);
	return 0;
}

static void assert_content(const char *wanted)
{
	auto_buf struct buf content = {0};
	struct err e;

	assert_int_equal(setup_file_read(base, PATH, &content, &e), *wanted != '\0');
	assert_string_equal(buf_string(&content), wanted);
}

static void test_what_is_ours_is_written_anew_and_removed(void **state)
{
	struct err e;

	(void)state;
	assert_content("");
	accepts(setup_file_write(base, PATH, SETUP_MARK "\n", &e), PATH);
	accepts(setup_file_write(base, PATH, SETUP_MARK "\n# a\n", &e), PATH);
	assert_content(SETUP_MARK "\n# a\n");
	accepts(setup_file_remove(base, PATH, &e), PATH);
	assert_content("");
	unit_write(base, PATH + 1, "theirs", 6);
	refuses(setup_file_write(base, PATH, SETUP_MARK "\n", &e), PATH, ERR_INPUT,
		"@setup_file_read_at#making");
	refuses(setup_file_remove(base, PATH, &e), PATH, ERR_INPUT, "@setup_file_read_at#making");
}

static void test_the_text_of_others(void **state)
{
	auto_buf struct buf text = {0};
	struct err e;

	(void)state;
	accepts(setup_file_text(base, "/etc/subuid", &text, &e), "none");
	assert_int_equal(mkdirat(base, "etc", 0755), 0);
	accepts(setup_file_text(base, "/etc/subuid", &text, &e), "none");
	unit_write(base, "etc/subuid", "a:1:2\n", 6);
	accepts(setup_file_text(base, "/etc/subuid", &text, &e), "some");
	assert_string_equal(buf_string(&text), "a:1:2\n");
	assert_int_equal(fchmodat(base, "etc", 0777, 0), 0);
	refuses(setup_file_text(base, "/etc/subuid", &text, &e), "etc", ERR_INPUT,
		"@setup_file_judge#must");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_is_ours_is_written_anew_and_removed,
						begin, end),
		cmocka_unit_test_setup_teardown(test_the_text_of_others, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
