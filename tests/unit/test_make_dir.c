/*
 * test_make_dir - missing directories are made, with the right owner; and private directories for
 * locks.
 */
#include "unit.h"

#include <errno.h>
#include <stdbool.h>

#include "base/own.h"
#include "fs/make_dir.h"
#include "fs/private_dir.h"

#define STRANGER 61234

static struct err e;
static int base;

static int enter(void **state)
{
	(void)state;
	base = unit_enter();
	assert_int_equal(umask(022), 022);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	unit_leave(base);
	return 0;
}

static int make(const char *name)
{
	e = (struct err){0};
	return make_dir_at(base, name, name, (int)strlen(name), &e);
}

static void test_it_is_ours_and_open(void **state)
{
	auto_fd int fd = make("new");
	struct stat st;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_uid, geteuid());
	assert_int_equal(st.st_mode, S_IFDIR | 0755);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static void test_one_that_was_made_meanwhile_is_opened(void **state)
{
	auto_fd int fd = -1;

	(void)state;
	assert_int_equal(mkdirat(base, "new", 0700), 0);
	fd = make("new");
	assert_true(fd >= 0);
}

static void test_link_is_not_followed(void **state)
{
	(void)state;
	assert_int_equal(symlinkat("/tmp", base, "link"), 0);
	assert_int_equal(symlinkat("nowhere", base, "dangling"), 0);
	assert_int_equal(make("link"), -1);
	assert_int_equal(make("dangling"), -1);
	assert_int_equal(faccessat(base, "nowhere", F_OK, 0), -1);
}

static void test_modes_of_the_directory_around(void **state)
{
	static const struct {
		mode_t mode;
		bool as_root; /* allowed for root, */
		bool as_user; /* for an ordinary user */
	} rows[] = {
		{0700,  true,  true },
                {0755,  true,  true },
                {0775,  false, true },
		{0777,  false, false},
                {01777, true,  true },
                {02775, false, true },
		{0757,  false, false},
                {01775, true,  true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_fd int fd = -1;
		char name[8];

		snprintf(name, sizeof(name), "%zu", i);
		assert_int_equal(fchmod(base, rows[i].mode), 0);
		fd = make(name);
		if ((fd >= 0) != (geteuid() ? rows[i].as_user : rows[i].as_root))
			fail_msg("mode %o: %s", (unsigned)rows[i].mode, e.text);
		if (fd < 0)
			assert_non_null(strstr(e.text, "mkdir"));
		assert_int_equal(!faccessat(base, name, F_OK, 0), fd >= 0);
	}
	fchmod(base, 0700);
}

static void test_directory_of_another_user(void **state)
{
	(void)state;
	if (geteuid()) {
		printf("cannot: only root can give a directory to another user\n");
		skip();
	}
	assert_int_equal(fchown(base, STRANGER, STRANGER), 0);
	assert_int_equal(make("new"), -1);
	assert_int_equal(e.kind, ERR_INPUT);
	assert_int_equal(faccessat(base, "new", F_OK, 0), -1);
}

static void test_private_directory(void **state)
{
	char path[300];
	struct stat st;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/own", unit_directory);
	for (int twice = 0; twice < 2; twice++) {
		fd = private_dir_open(path, &e);
		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0700);
		close(fd);
	}
	assert_int_equal(chmod(path, 0770), 0);
	refuses(private_dir_open(path, &e) < 0, path, ERR_INPUT, "@private_dir_open_at#must");
	assert_int_equal(chmod(path, 0702), 0);
	refuses(private_dir_open(path, &e) < 0, path, ERR_INPUT, "@private_dir_open_at#must");
	assert_int_equal(chmod(path, 0700), 0);
	assert_int_equal(symlinkat("own", base, "link"), 0);
	snprintf(path, sizeof(path), "%s/link", unit_directory);
	refuses(private_dir_open(path, &e) < 0, path, ERR_SYSTEM, "open");
	if (geteuid())
		return;
	snprintf(path, sizeof(path), "%s/own", unit_directory);
	assert_int_equal(chown(path, STRANGER, STRANGER), 0);
	refuses(private_dir_open(path, &e) < 0, path, ERR_INPUT, "@private_dir_open_at#must");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(test_it_is_ours_and_open),
		TEST(test_one_that_was_made_meanwhile_is_opened),
		TEST(test_link_is_not_followed),
		TEST(test_modes_of_the_directory_around),
		TEST(test_directory_of_another_user),
		TEST(test_private_directory),
	};

	umask(022);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
