/*
 * test_trusted_path - which links of a path are followed, and which files are opened.
 */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>

#include "base/own.h"
#include "fs/trusted_path.h"

static struct err e;
static int dir;

static int enter(void **state)
{
	(void)state;
	dir = unit_enter();
	assert_int_equal(fchdir(dir), 0);
	assert_int_equal(mkdirat(dir, "real", 0755), 0);
	unit_write(dir, "real/file", "text", 4);
	assert_int_equal(symlinkat("real", dir, "link"), 0);
	assert_int_equal(symlinkat("nowhere", dir, "dangling"), 0);
	assert_int_equal(symlinkat("file", dir, "real/link"), 0);
	assert_int_equal(mkfifoat(dir, "fifo", 0600), 0);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	assert_int_equal(chdir("/"), 0);
	unit_leave(dir);
	return 0;
}

enum { READ = -1 };

/* @more  READ, or what trusted_path_write() takes */
static int open_file(const char *path, int more)
{
	return more == READ
		       ? trusted_path_read(path, &e)
		       : trusted_path_write(written_path(path), LINKS_OF_SYSTEM, more, 0600, &e);
}

static int open_own(const char *path, int more)
{
	return trusted_path_write(written_path(path), LINKS_OF_CALLER, more, 0644, &e);
}

static int open_directory(const char *path, bool make)
{
	return make ? trusted_path_make(written_path(path), LINKS_OF_SYSTEM, &e)
		    : trusted_path_directory(path, LINKS_OF_SYSTEM, &e);
}

static void opens_directory(const char *path, bool make)
{
	auto_fd int fd = -1;

	accepts((fd = open_directory(path, make)) < 0, path);
	assert_true(fd >= 0);
}

static void opens_file(const char *path, int flags)
{
	auto_fd int fd = -1;

	accepts((fd = open_file(path, flags)) < 0, path);
	assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
}

static void test_links_that_a_program_can_make_are_refused(void **state)
{
	static const char *const directories[] = {
		"link", "link/", "./link", "real/../link", "dangling", "dangling/x", "link/file"};
	static const char *const files[] = {"link/file", "real/link", "real/../link/file",
					    "dangling"};
	char absolute[300];

	(void)state;
	for (size_t i = 0; i < COUNT(directories); i++) {
		refuses(open_directory(directories[i], i % 2) < 0, directories[i], ERR_INPUT,
			"@trusted_path_refuse_link#program");
		snprintf(absolute, sizeof(absolute), "%s/%s", unit_directory, directories[i]);
		refuses(open_directory(absolute, true) < 0, absolute, ERR_INPUT, "is a link");
	}
	for (size_t i = 0; i < COUNT(files); i++) {
		refuses(open_file(files[i], READ) < 0, files[i], ERR_INPUT, "is a link");
		refuses(open_file(files[i], O_TRUNC) < 0, files[i], ERR_INPUT, "is a link");
	}
	assert_string_equal(unit_read(dir, "real/file"), "text");
	assert_int_equal(faccessat(dir, "nowhere", F_OK, 0), -1);
}

static void test_the_link_is_named(void **state)
{
	(void)state;
	refuses(open_directory("real/../link/x/y", false) < 0, "link", ERR_INPUT,
		"real/../link is a link");
}

static void test_what_is_missing_is_made(void **state)
{
	struct stat st;

	(void)state;
	refuses(open_directory("real/a/b", false) < 0, "missing", ERR_SYSTEM, "open real/a");
	assert_int_equal(e.number, ENOENT);
	opens_directory("real//a/./b/", true);
	assert_int_equal(fstatat(dir, "real/a/b", &st, 0), 0);
	opens_directory("/", false);
	opens_directory(unit_directory, false);
	refuses(open_directory("real/file/x", true) < 0, "a file", ERR_SYSTEM, "open real/file/x");
}

static void test_files(void **state)
{
	(void)state;
	opens_file("real/file", READ);
	opens_file("real/file", 0);
	assert_string_equal(unit_read(dir, "real/file"), "text");
	opens_file("real/file", O_TRUNC);
	assert_string_equal(unit_read(dir, "real/file"), "");
	opens_file("new", O_TRUNC);
	refuses(open_file("missing", READ) < 0, "missing", ERR_SYSTEM, "open missing");
	refuses(open_file("", READ) < 0, "nothing", ERR_INPUT, "names no file");
}

static void test_other_kinds_are_refused_at_once(void **state)
{
	auto_fd int reader = -1;

	(void)state;
	refuses(open_file("fifo", READ) < 0, "fifo", ERR_INPUT,
		"@trusted_path_open_file#ordinary fifo");
	refuses(open_file("fifo", O_TRUNC) < 0, "fifo", ERR_INPUT,
		"@trusted_path_open_file#ordinary fifo");
	reader = openat(dir, "fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	refuses(open_file("fifo", 0) < 0, "fifo, read", ERR_INPUT,
		"@trusted_path_open_file#ordinary fifo");
	refuses(open_file("real", READ) < 0, "directory", ERR_INPUT,
		"@trusted_path_open_file#ordinary real");
}

static void test_devices_and_pipes_of_the_system_are_taken(void **state)
{
	char path[40];
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	opens_file(path, O_TRUNC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	opens_file(path, READ);
	opens_file("/dev/null", O_TRUNC);
	close(ends[0]);
	close(ends[1]);
}

/* -- links of the caller's --------------------------------------------------------------------- */

static void test_own_links_are_followed_to_their_end(void **state)
{
	char absolute[300];
	auto_fd int fd = -1;

	(void)state;
	snprintf(absolute, sizeof(absolute), "%s/real/", unit_directory);
	assert_int_equal(symlinkat(absolute, dir, "absolute"), 0);
	assert_int_equal(symlinkat("link/../absolute//", dir, "far"), 0);
	assert_int_equal(symlinkat("loop", dir, "loop"), 0);
	fd = open_own("far/link", O_TRUNC);
	assert_true(fd >= 0);
	assert_string_equal(unit_read(dir, "real/file"), "");
	assert_int_equal(fcntl(fd, F_GETFL) & (O_NONBLOCK | O_ACCMODE), O_WRONLY);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	own_close(&fd);
	fd = open_own("dangling", 0);
	assert_true(fd >= 0);
	assert_int_equal(faccessat(dir, "nowhere", F_OK, 0), 0);
	own_close(&fd);
	fd = trusted_path_make(written_path("far/a/b"), LINKS_OF_CALLER, &e);
	assert_true(fd >= 0);
	assert_int_equal(faccessat(dir, "real/a/b", F_OK, 0), 0);
	refuses(open_own("loop", 0) < 0, "loop", ERR_SYSTEM, "open loop");
	assert_int_equal(e.number, ELOOP);
}

/* Who may have put the link there: by the mode and the owner of the directory around it. */
static void test_links_where_others_write_are_not(void **state)
{
	static const struct {
		mode_t mode;
		bool ours;      /* one that belongs to us is followed, */
		bool strangers; /* one of another user's */
	} rows[] = {
		{0755,  true,  true },
		{01777, true,  false},
		{0777,  false, false},
		{0757,  false, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (int strangers = 0; strangers < (geteuid() ? 1 : 2); strangers++) {
			auto_fd int fd = -1;

			assert_int_equal(fchownat(dir, "real/link", strangers ? 61234 : geteuid(),
						  getegid(), AT_SYMLINK_NOFOLLOW),
					 0);
			assert_int_equal(fchmodat(dir, "real", rows[i].mode, 0), 0);
			fd = open_own("real/link", 0);
			if ((fd >= 0) != (strangers ? rows[i].strangers : rows[i].ours))
				fail_msg("mode %o, %d: %s", (unsigned)rows[i].mode, strangers,
					 e.text);
			if (fd < 0)
				assert_non_null(strstr(e.text, "real/link is a link"));
		}
	}
	if (geteuid())
		return;
	assert_int_equal(fchmodat(dir, "real", 0755, 0), 0);
	assert_int_equal(fchownat(dir, "real", 61234, 61234, 0), 0);
	refuses(open_own("real/link", O_TRUNC) < 0, "theirs", ERR_INPUT, "is a link");
	refuses(open_own("link/link", O_TRUNC) < 0, "ours to theirs", ERR_INPUT, "is a link");
	assert_string_equal(unit_read(dir, "real/file"), "text");
}

static void test_files_where_others_make_names(void **state)
{
	(void)state;
	assert_int_equal(fchmodat(dir, "real", 01777, 0), 0);
	assert_int_equal(linkat(dir, "real/file", dir, "real/second", 0), 0);
	refuses(open_own("real/second", O_TRUNC) < 0, "second", ERR_INPUT, "has another name");
	assert_string_equal(unit_read(dir, "real/file"), "text");
	if (geteuid())
		return;
	assert_int_equal(unlinkat(dir, "real/second", 0), 0);
	assert_int_equal(fchownat(dir, "real/file", 61234, 61234, 0), 0);
	refuses(open_own("real/file", O_TRUNC) < 0, "theirs", ERR_INPUT, "another user");
	assert_int_equal(mkfifoat(dir, "real/fifo", 0666), 0);
	assert_int_equal(fchownat(dir, "real/fifo", 61234, 61234, 0), 0);
	refuses(open_own("real/fifo", 0) < 0, "their fifo", ERR_INPUT,
		"@trusted_path_open_file#ordinary real/fifo");
}

static void test_one_that_exists(void **state)
{
	(void)state;
	refuses(open_own("real/file", O_EXCL) < 0, "file", ERR_SYSTEM, "real/file");
	assert_int_equal(e.number, EEXIST);
	refuses(open_own("dangling", O_EXCL) < 0, "dangling", ERR_SYSTEM, "dangling");
	assert_int_equal(e.number, EEXIST);
	assert_string_equal(unit_read(dir, "real/file"), "text");
}

static void test_names_without_a_file(void **state)
{
	static const char *const paths[] = {"/tmp/", "/nonexistent/x", ".", "real/", "new/"};

	(void)state;
	for (size_t i = 0; i < COUNT(paths); i++)
		refuses(open_own(paths[i], O_TRUNC) < 0, paths[i], ERR_SYSTEM, "open");
	refuses(open_own("", O_TRUNC) < 0, "nothing", ERR_INPUT, "names no file");
	refuses(open_own("/", O_TRUNC) < 0, "/", ERR_INPUT, "names no file");
}

static void test_lease_is_not_waited_for(void **state)
{
	auto_fd int fd = openat(dir, "real/file", O_RDWR | O_CLOEXEC);

	(void)state;
	signal(SIGIO, SIG_IGN);
	assert_int_equal(fcntl(fd, F_SETLEASE, F_WRLCK), 0);
	refuses(open_own("real/file", O_TRUNC) < 0, "leased", ERR_SYSTEM, "open");
	assert_int_equal(e.number, EAGAIN);
	own_close(&fd);
	signal(SIGIO, SIG_DFL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_links_that_a_program_can_make_are_refused),
		TEST(test_the_link_is_named),
		TEST(test_what_is_missing_is_made),
		TEST(test_files),
		TEST(test_other_kinds_are_refused_at_once),
		TEST(test_devices_and_pipes_of_the_system_are_taken),
		TEST(test_own_links_are_followed_to_their_end),
		TEST(test_links_where_others_write_are_not),
		TEST(test_files_where_others_make_names),
		TEST(test_one_that_exists),
		TEST(test_names_without_a_file),
		TEST(test_lease_is_not_waited_for),
	};

	return cmocka_run_group_tests_name("trusted_path", tests, NULL, NULL);
}
