/*
 * test_wheel_store - what is taken out of a sandbox as a wheel, and what is not.
 */
#include "unit.h"

#include "base/cache_dir.h"
#include "base/own.h"
#include "cli/wheel_store.h"

#define GOOD  "tiny-1.0-py3-none-any.whl"
#define OTHER "other_one-2!1.0+local.1-1build-cp313-cp313-manylinux_2_17_x86_64.whl"

static int place_fd;
static struct err e;

static int make_place(void **state)
{
	(void)state;
	place_fd = unit_enter();
	return setenv("XDG_CACHE_HOME", unit_directory, 1);
}

static int remove_place(void **state)
{
	(void)state;
	unit_leave(place_fd);
	return 0;
}

static void write_file(int dir_fd, const char *name, const char *text)
{
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void test_names(void **state)
{
	static const char *const good[] = {GOOD, OTHER, "a-1-b-c-d.whl", "A.b_c-1-x-y-z.w.whl"};
	static const char *const bad[] = {
		"",
		".whl",
		"tiny.whl",
		"tiny-1.0.tar.gz",
		"tiny-1.0-py3-none-any.whl.exe",
		"tiny-1.0-py3-none.whl",
		"a-1-2-3-b-c-d.whl",
		"-tiny-1.0-none-any.whl",
		"tiny--py3-none-any.whl",
		"tiny-1.0-py3-none-.whl",
		".tiny-1.0-py3-none-any.whl",
		"../tiny-1.0-py3-none-any.whl",
		"a/tiny-1.0-py3-none-any.whl",
		"tiny 1-1.0-py3-none-any.whl",
		"tiny\n-1.0-py3-none-any.whl",
		"tiny\x1b[2J-1.0-py3-none-any.whl",
		"t\xc3\xafny-1.0-py3-none-any.whl",
		"tiny-1.0-py3-none-any.WHL",
		"tiny-1.0-py3-none-any.whl ",
	};
	char longest[300];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(wheel_store_is_name(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (wheel_store_is_name(bad[i]))
			fail_msg("%s", bad[i]);
	}
	memset(longest, 'a', sizeof(longest));
	strcpy(longest + 255 - strlen(GOOD), GOOD);
	assert_true(wheel_store_is_name(longest));
	memset(longest, 'a', sizeof(longest));
	strcpy(longest + 256 - strlen(GOOD), GOOD);
	assert_false(wheel_store_is_name(longest));
}

static void test_what_is_taken(void **state)
{
	struct wheel_store s;
	struct list added = {0};
	struct list kept = {0};
	struct list refused = {0};
	char text[8] = "";
	struct stat st;
	int fd;

	(void)state;
	accepts(wheel_store_open(&s, true, &e) || wheel_store_begin(&s, &e), "begin");
	write_file(s.wheels_fd, OTHER, "old");
	write_file(s.stage_fd, OTHER, "new");
	write_file(s.stage_fd, GOOD, "12345");
	write_file(s.stage_fd, "notes.txt", "x");
	write_file(s.stage_fd, "empty-1-a-b-c.whl", "");
	write_file(s.stage_fd, "z-1-large-b-c.whl", "123456789");
	write_file(s.stage_fd, "x", "x");
	assert_int_equal(linkat(s.stage_fd, "x", s.stage_fd, "two-1-a-b-c.whl", 0), 0);
	assert_int_equal(symlinkat("/etc/passwd", s.stage_fd, "link-1-a-b-c.whl"), 0);
	assert_int_equal(mkdirat(s.stage_fd, "dir-1-a-b-c.whl", 0755), 0);
	assert_int_equal(mknodat(s.stage_fd, "fifo-1-a-b-c.whl", S_IFIFO | 0644, 0), 0);
	accepts(wheel_store_take(&s, 16, &added, &kept, &refused, &e), "take");
	assert_int_equal(added.count, 1);
	assert_string_equal(added.items[0], GOOD);
	assert_int_equal(kept.count, 1);
	assert_string_equal(kept.items[0], OTHER);
	assert_int_equal(refused.count, 8);
	assert_int_equal(fstatat(s.wheels_fd, GOOD, &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0644);
	fd = openat(s.wheels_fd, OTHER, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, text, sizeof(text) - 1), 3);
	assert_string_equal(text, "old");
	close(fd);
	list_fini(&added);
	list_fini(&kept);
	list_fini(&refused);
	wheel_store_close(&s);
}

/* Two at once have a stage each; what a killed one leaves is removed when nobody is at work. */
static void test_stages(void **state)
{
	struct wheel_store one;
	struct wheel_store two;
	char left[400];

	(void)state;
	snprintf(left, sizeof(left), "%s/glovebox/fill-left", unit_directory);
	accepts(wheel_store_open(&one, true, &e), "open");
	assert_int_equal(mkdir(left, 0700), 0);
	accepts(wheel_store_begin(&one, &e), "begin");
	assert_int_not_equal(access(left, F_OK), 0);
	accepts(wheel_store_open(&two, true, &e) || wheel_store_begin(&two, &e), "another");
	assert_string_not_equal(one.stage, two.stage);
	assert_int_equal(access(one.stage, F_OK), 0);
	snprintf(left, sizeof(left), "%s", one.stage);
	wheel_store_close(&one);
	assert_int_not_equal(access(left, F_OK), 0);
	assert_int_equal(access(two.stage, F_OK), 0);
	wheel_store_close(&two);
}

static void test_without_a_cache(void **state)
{
	struct wheel_store s;

	(void)state;
	refuses(wheel_store_open(&s, false, &e), "not made", ERR_NOT_FOUND, "there is no cache");
	wheel_store_close(&s);
}

static void is_at(const char *named, const char *home, const char *wanted)
{
	auto_free char *path = NULL;

	named ? setenv("XDG_CACHE_HOME", named, 1) : unsetenv("XDG_CACHE_HOME");
	home ? setenv("HOME", home, 1) : unsetenv("HOME");
	path = cache_dir(&e);
	if (wanted)
		assert_string_equal(path, wanted);
	else
		assert_null(path);
}

static void test_where_it_is(void **state)
{
	const bool root = geteuid() == 0;

	(void)state;
	is_at("/x", "/home/a", "/x/glovebox");
	is_at(NULL, "/home/a", root ? "/var/cache/glovebox" : "/home/a/.cache/glovebox");
	is_at("x", "/home/a", root ? "/var/cache/glovebox" : "/home/a/.cache/glovebox");
	is_at(NULL, NULL, root ? "/var/cache/glovebox" : NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_names),           TEST(test_what_is_taken), TEST(test_stages),
		TEST(test_without_a_cache), TEST(test_where_it_is),
	};

	return cmocka_run_group_tests_name("wheel_store", tests, NULL, NULL);
}
