/*
 * test_remove_tree - file systems that misbehave: one lists a name that it cannot remove, another
 * fails in the middle of a directory. Two functions of libc are replaced to simulate them.
 */
#include "unit.h"

#include <dlfcn.h>
#include <errno.h>

#include "base/own.h"
#include "fs/names.h"
#include "fs/remove_tree.h"

static int base;
static unsigned entries_until_error; /* 0: no error */
static const char *denied;           /* a name that is listed but cannot be found; NULL: none */

struct dirent *readdir(DIR *dir)
{
	struct dirent *(*real)(DIR *) = dlsym(RTLD_NEXT, "readdir");

	if (entries_until_error && !--entries_until_error) {
		errno = EIO;
		return NULL;
	}
	return real(dir);
}

int unlinkat(int dir_fd, const char *name, int flags)
{
	int (*real)(int, const char *, int) = dlsym(RTLD_NEXT, "unlinkat");

	if (denied && !strcmp(name, denied)) {
		errno = ENOENT;
		return -1;
	}
	return real(dir_fd, name, flags);
}

static void make_tree(void)
{
	assert_int_equal(mkdirat(base, "tree", 0755), 0);
	assert_int_equal(mkdirat(base, "tree/below", 0755), 0);
	unit_write(base, "tree/a", "", 0);
	unit_write(base, "tree/b", "", 0);
	unit_write(base, "tree/below/c", "", 0);
}

static int begin(void **state)
{
	(void)state;
	base = unit_enter();
	make_tree();
	return 0;
}

static int end(void **state)
{
	(void)state;
	denied = NULL;
	entries_until_error = 0;
	unit_leave(base);
	return 0;
}

static void test_a_tree_is_removed(void **state)
{
	(void)state;
	assert_int_equal(remove_tree(base, "tree", UINT64_MAX), 0);
	assert_int_equal(faccessat(base, "tree", F_OK, 0), -1);
}

static void test_an_entry_that_stays_is_an_error(void **state)
{
	static const char *const names[] = {"a", "below", "c"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		denied = names[i];
		assert_int_equal(remove_tree(base, "tree", UINT64_MAX), -1);
		assert_int_equal(errno, EBUSY);
		assert_int_equal(faccessat(base, "tree", F_OK, 0), 0);
		denied = NULL;
		assert_int_equal(remove_tree(base, "tree", UINT64_MAX), 0);
		make_tree();
	}
}

static void test_a_directory_that_cannot_be_read_to_its_end_is_an_error(void **state)
{
	auto_fd int fd = openat(base, "tree", O_PATH | O_DIRECTORY);

	(void)state;
	for (unsigned n = 1; n < 5; n++) {
		auto_list struct list names = {0};

		entries_until_error = n;
		assert_int_equal(names_read(fd, 100, &names), -1);
		assert_int_equal(errno, EIO);
		assert_int_equal(names.count, 0);
	}
	entries_until_error = 3;
	assert_int_equal(remove_tree(base, "tree", UINT64_MAX), -1);
	assert_int_equal(errno, EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_tree_is_removed, begin, end),
		cmocka_unit_test_setup_teardown(test_an_entry_that_stays_is_an_error, begin, end),
		cmocka_unit_test_setup_teardown(
			test_a_directory_that_cannot_be_read_to_its_end_is_an_error, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
