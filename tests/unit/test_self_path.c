/*
 * test_self_path - our own file, and what lies beside it.
 */
#include "unit.h"

#include <libgen.h>

#include "fs/self_path.h"

static void test_the_file_is_this_program(void **state)
{
	char path[PATH_MAX];
	char directory[PATH_MAX];
	struct err e;

	(void)state;
	assert_int_equal(self_path(path, &e), 0);
	assert_string_equal(basename(strdupa(path)), "test_self_path");
	assert_int_equal(self_directory(directory, &e), 0);
	assert_string_equal(dirname(path), directory);
}

static void test_the_first_place_that_has_it_is_found(void **state)
{
	static const char *const places[] = {"missing", "../one", "two", "two/."};
	char wanted[PATH_MAX];
	char found[PATH_MAX];
	char bin[PATH_MAX];

	(void)state;
	snprintf(bin, sizeof(bin), "%s/bin", unit_directory);
	snprintf(wanted, sizeof(wanted), "%s/bin/two", unit_directory);
	assert_int_equal(mkdir("bin", 0755), 0);
	assert_int_equal(mkdir("bin/two", 0755), 0);
	assert_int_equal(mkdir("one", 0755), 0);
	assert_int_equal(close(open("bin/two/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644)), 0);
	assert_int_equal(self_find(bin, places, COUNT(places), "file", found), 0);
	assert_string_equal(found, wanted);
	assert_int_equal(self_find(bin, places, COUNT(places), ".", found), 0);
	assert_string_equal(found + strlen(unit_directory), "/one");
	assert_int_equal(self_find(bin, places, COUNT(places), "nothing", found), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_file_is_this_program),
		cmocka_unit_test(test_the_first_place_that_has_it_is_found),
	};
	int fd = unit_enter();
	int failed = fchdir(fd) ? -1 : cmocka_run_group_tests(tests, NULL, NULL);

	unit_leave(fd);
	return failed;
}
