/*
 * test_verdict - the names of verdicts, and lists that a hostile program can fill.
 */
#include "unit.h"

#include "spec/verdict.h"

static void test_every_kind_has_a_name_of_its_own(void **state)
{
	static const char *const names[] = {"exited",   "signalled", "wall_time",
					    "cpu_time", "memory",    "syscall",
					    "output",   "cancelled", "idle"};

	(void)state;
	assert_int_equal(COUNT(names), VERDICT_IDLE + 1);
	for (size_t i = 0; i < COUNT(names); i++)
		assert_string_equal(verdict_name((enum verdict_kind)i), names[i]);
}

static void test_lists_copy_their_paths(void **state)
{
	struct verdict v = {0};
	char path[] = "a/b";

	(void)state;
	output_files_add(&v.files, path, 7, "new");
	path[0] = 'x';
	output_files_add(&v.refused, path, 0, "fifo");
	assert_int_equal(v.files.count, 1);
	assert_string_equal(v.files.items[0].path, "a/b");
	assert_int_equal(v.files.items[0].size_bytes, 7);
	assert_string_equal(v.files.items[0].change, "new");
	assert_string_equal(v.refused.items[0].path, "x/b");
	verdict_fini(&v);
	assert_int_equal(v.files.count, 0);
	assert_null(v.files.items);
	verdict_fini(&v); /* freeing it twice is harmless */
}

static void test_ten_thousand_are_listed_the_rest_is_counted(void **state)
{
	struct verdict v = {0};
	char path[32];

	(void)state;
	for (int i = 0; i < 10007; i++) {
		snprintf(path, sizeof(path), "f%d", i);
		output_files_add(&v.files, path, 0, "new");
	}
	assert_int_equal(v.files.count, 10000);
	assert_int_equal(v.files.dropped, 7);
	assert_string_equal(v.files.items[9999].path, "f9999");
	verdict_fini(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind_has_a_name_of_its_own),
		cmocka_unit_test(test_lists_copy_their_paths),
		cmocka_unit_test(test_ten_thousand_are_listed_the_rest_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
