/*
 * test_replaced_file - what must not be lost is replaced as a whole, or not touched.
 */
#include "unit.h"

#include "base/io.h"
#include "fs/replaced_file.h"

static int base = -1;
static struct err e;

static int begin(void **state)
{
	(void)state;
	base = unit_enter();
	unit_write(base, "old", "before", 6);
	assert_int_equal(fchdir(base), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(chdir("/"), 0);
	unit_leave(base);
	return 0;
}

static int replace(const char *path, bool whole)
{
	struct replaced_file file;

	if (replaced_file_open_durable(&file, written_path(path), &e))
		return -1;
	assert_int_equal(io_write_all(file.fd, "after", 5), 0);
	assert_int_equal(replaced_file_end(&file, whole), 0);
	return 0;
}

static unsigned count_files(void)
{
	DIR *dir = opendir(".");
	unsigned count = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
	closedir(dir);
	return count;
}

static void test_it_keeps_its_mode_and_leaves_nothing(void **state)
{
	const gid_t group = geteuid() ? getegid() : 12345;
	struct stat st;

	(void)state;
	assert_int_equal(chmod("old", 0640), 0);
	assert_int_equal(chown("old", (uid_t)-1, group), 0);
	accepts(replace("old", false), "forgotten");
	assert_string_equal(unit_read(base, "old"), "before");
	accepts(replace("old", true), "replaced");
	assert_string_equal(unit_read(base, "old"), "after");
	assert_int_equal(stat("old", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(st.st_gid, group);
	accepts(replace("new", true), "made");
	assert_int_equal(stat("new", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(count_files(), 2);
}

/* Where it cannot be replaced as a whole, what is there stays as it is. */
static void test_it_is_never_written_in_place(void **state)
{
	static const char remedy[] = "@replaced_file_open_durable#cannot";

	(void)state;
	assert_int_equal(link("old", "second"), 0);
	refuses(replace("old", true), "two names", ERR_INPUT, remedy);
	assert_int_equal(unlink("second"), 0);
	assert_int_equal(symlink("old", "link"), 0);
	refuses(replace("link", true), "a link", ERR_INPUT, remedy);
	assert_int_equal(unlink("link"), 0);
	refuses(replace("/dev/null", true), "no file", ERR_INPUT, remedy);
	assert_int_equal(chmod(".", 0777), 0);
	refuses(replace("old", true), "others can write", ERR_INPUT, remedy);
	refuses(replace("none/old", true), "no directory", ERR_SYSTEM, "none");
	assert_string_equal(unit_read(base, "old"), "before");
	assert_int_equal(count_files(), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_it_keeps_its_mode_and_leaves_nothing, begin,
						end),
		cmocka_unit_test_setup_teardown(test_it_is_never_written_in_place, begin, end),
	};

	return cmocka_run_group_tests_name("replaced_file", tests, NULL, NULL);
}
