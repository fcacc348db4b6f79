/*
 * test_new_file - files that are written where others may have put something in their place.
 */
#include "unit.h"

#include <errno.h>
#include <signal.h>

#include "base/new_file.h"
#include "base/own.h"

static struct err e;
static int base;
static char path[300];

static int enter(void **state)
{
	(void)state;
	base = unit_enter();
	snprintf(path, sizeof(path), "%s/link", unit_directory);
	unit_write(base, "target", "as it was", 9);
	assert_int_equal(symlinkat("target", base, "link"), 0);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	unit_leave(base);
	return 0;
}

static void test_own_link_in_an_own_directory_is_followed(void **state)
{
	auto_fd int fd = new_file_open(path, O_TRUNC, &e);

	(void)state;
	assert_true(fd >= 0);
	assert_string_equal(unit_read(base, "target"), "");
	assert_int_equal(fcntl(fd, F_GETFL) & (O_NONBLOCK | O_ACCMODE), O_WRONLY);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static void test_link_where_others_write_is_not(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fchmod(base, i ? 01777 : 0777), 0);
		refuses(new_file_open(path, O_TRUNC, &e) < 0, path, ERR_INPUT, "@new_file_open#2");
	}
	assert_string_equal(unit_read(base, "target"), "as it was");
	assert_int_equal(fchmod(base, 0700), 0);
	if (geteuid())
		return;
	assert_int_equal(fchown(base, 61234, 61234), 0);
	refuses(new_file_open(path, O_TRUNC, &e) < 0, path, ERR_INPUT, "@new_file_open#2");
	assert_string_equal(unit_read(base, "target"), "as it was");
}

static void test_one_that_exists(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/target", unit_directory);
	refuses(new_file_open(path, O_EXCL, &e) < 0, path, ERR_SYSTEM, "target");
	assert_int_equal(e.number, EEXIST);
	assert_string_equal(unit_read(base, "target"), "as it was");
}

static void test_names_without_a_file(void **state)
{
	static const char *const paths[] = {"", "/", "/tmp/", "/nonexistent/x", "."};

	(void)state;
	for (size_t i = 0; i < COUNT(paths); i++)
		refuses(new_file_open(paths[i], O_TRUNC, &e) < 0, paths[i], ERR_SYSTEM, "open");
}

static void test_lease_is_not_waited_for(void **state)
{
	auto_fd int fd = openat(base, "target", O_RDWR | O_CLOEXEC);

	(void)state;
	signal(SIGIO, SIG_IGN);
	assert_int_equal(fcntl(fd, F_SETLEASE, F_WRLCK), 0);
	refuses(new_file_open(path, O_TRUNC, &e) < 0, path, ERR_SYSTEM, "open");
	assert_int_equal(e.number, EAGAIN);
	own_close(&fd);
	signal(SIGIO, SIG_DFL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(test_own_link_in_an_own_directory_is_followed),
		TEST(test_link_where_others_write_is_not),
		TEST(test_one_that_exists),
		TEST(test_names_without_a_file),
		TEST(test_lease_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
