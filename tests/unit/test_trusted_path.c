/*
 * test_trusted_path - which links of a path are followed, and which files are opened.
 */
#include "unit.h"

#include "base/own.h"
#include "base/trusted_path.h"

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

static void opens_directory(const char *path, bool make)
{
	auto_fd int fd = -1;

	accepts((fd = trusted_path_directory(path, make, &e)) < 0, path);
	assert_true(fd >= 0);
}

static void opens_file(const char *path, int flags)
{
	auto_fd int fd = -1;

	accepts((fd = trusted_path_file(path, flags, &e)) < 0, path);
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
		refuses(trusted_path_directory(directories[i], i % 2, &e) < 0, directories[i],
			ERR_INPUT, "@trusted_path_refuse_link");
		snprintf(absolute, sizeof(absolute), "%s/%s", unit_directory, directories[i]);
		refuses(trusted_path_directory(absolute, true, &e) < 0, absolute, ERR_INPUT,
			"@trusted_path_refuse_link");
	}
	for (size_t i = 0; i < COUNT(files); i++) {
		refuses(trusted_path_file(files[i], O_RDONLY, &e) < 0, files[i], ERR_INPUT,
			"@trusted_path_refuse_link");
		refuses(trusted_path_file(files[i], O_WRONLY | O_CREAT | O_TRUNC, &e) < 0, files[i],
			ERR_INPUT, "@trusted_path_refuse_link");
	}
	assert_string_equal(unit_read(dir, "real/file"), "text");
	assert_int_equal(faccessat(dir, "nowhere", F_OK, 0), -1);
}

static void test_the_link_is_named(void **state)
{
	(void)state;
	refuses(trusted_path_directory("real/../link/x/y", false, &e) < 0, "link", ERR_INPUT,
		"@trusted_path_refuse_link real/../link");
}

static void test_what_is_missing_is_made(void **state)
{
	struct stat st;

	(void)state;
	refuses(trusted_path_directory("real/a/b", false, &e) < 0, "missing", ERR_SYSTEM,
		"open real/a");
	assert_int_equal(e.number, ENOENT);
	opens_directory("real//a/./b/", true);
	assert_int_equal(fstatat(dir, "real/a/b", &st, 0), 0);
	opens_directory("/", false);
	opens_directory(unit_directory, false);
	refuses(trusted_path_directory("real/file/x", true, &e) < 0, "a file", ERR_SYSTEM,
		"open real/file/x");
}

static void test_files(void **state)
{
	(void)state;
	opens_file("real/file", O_RDONLY);
	opens_file("real/file", O_WRONLY);
	assert_string_equal(unit_read(dir, "real/file"), "text");
	opens_file("real/file", O_WRONLY | O_CREAT | O_TRUNC);
	assert_string_equal(unit_read(dir, "real/file"), "");
	opens_file("new", O_WRONLY | O_CREAT | O_TRUNC);
	refuses(trusted_path_file("missing", O_RDONLY, &e) < 0, "missing", ERR_SYSTEM,
		"open missing");
	refuses(trusted_path_file("", O_RDONLY, &e) < 0, "nothing", ERR_INPUT,
		"@trusted_path_file");
}

static void test_other_kinds_are_refused_at_once(void **state)
{
	auto_fd int reader = -1;

	(void)state;
	refuses(trusted_path_file("fifo", O_RDONLY, &e) < 0, "fifo", ERR_INPUT,
		"@trusted_path_open_file#2");
	refuses(trusted_path_file("fifo", O_WRONLY | O_TRUNC, &e) < 0, "fifo", ERR_INPUT,
		"@trusted_path_open_file#2");
	reader = openat(dir, "fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	refuses(trusted_path_file("fifo", O_WRONLY, &e) < 0, "fifo, read", ERR_INPUT,
		"@trusted_path_open_file#2");
	refuses(trusted_path_file("real", O_RDONLY, &e) < 0, "directory", ERR_INPUT,
		"@trusted_path_open_file#2");
}

static void test_devices_and_pipes_of_the_system_are_taken(void **state)
{
	char path[40];
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	opens_file(path, O_WRONLY | O_CREAT | O_TRUNC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	opens_file(path, O_RDONLY);
	opens_file("/dev/null", O_WRONLY | O_CREAT | O_TRUNC);
	close(ends[0]);
	close(ends[1]);
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
	};

	return cmocka_run_group_tests_name("trusted_path", tests, NULL, NULL);
}
