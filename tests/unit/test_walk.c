/*
 * test_walk - walking directory trees by descriptor: order, depth, bounds, and deferred entries.
 */
#include "base/buf.h"
#include "base/own.h"
#include "fs/names.h"
#include "fs/remove_tree.h"
#include "fs/walk.h"
#include "unit.h"

static int base;

static void make_dir(const char *path)
{
	assert_int_equal(mkdirat(base, path, 0755), 0);
}

static int begin(void **state)
{
	(void)state;
	base = unit_enter();
	make_dir("b");
	make_dir("b/d");
	unit_write(base, "b/a", "", 0);
	unit_write(base, "b/d/x", "", 0);
	unit_write(base, "a", "", 0);
	unit_write(base, "c", "", 0);
	assert_int_equal(symlinkat("b", base, "link"), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	unit_leave(base);
	return 0;
}

static bool is_directory(const struct walk *w)
{
	struct stat st;

	return !fstatat(w->dir_fd, w->name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

/* All paths in their order, separated by spaces. */
static void paths(struct walk *w, const char *prefix, bool put_off, struct buf *out)
{
	assert_int_equal(walk_begin(w, base, -1, prefix), 0);
	while (walk_next(w) > 0) {
		buf_printf(out, "%s ", w->path);
		if (!is_directory(w))
			continue;
		if (put_off)
			walk_put_off(w);
		else
			assert_int_equal(walk_enter(w, walk_open(w), -1), 0);
	}
}

static void test_parents_come_first_and_names_are_sorted(void **state)
{
	auto_walk struct walk w = {.room = 100};
	auto_buf struct buf found = {0};

	(void)state;
	paths(&w, "./p", false, &found);
	assert_string_equal(buf_string(&found),
			    "./p/a ./p/b ./p/b/a ./p/b/d ./p/b/d/x ./p/c ./p/link ");
	assert_false(w.cut);
}

static void test_directories_may_come_last(void **state)
{
	auto_walk struct walk w = {.room = 100, .directories_last = true};
	auto_buf struct buf found = {0};

	(void)state;
	paths(&w, "", false, &found);
	assert_string_equal(buf_string(&found), "a c link b b/a b/d b/d/x ");
}

static void test_what_is_put_off_comes_level_by_level(void **state)
{
	auto_walk struct walk w = {.room = 100};
	auto_buf struct buf found = {0};

	(void)state;
	paths(&w, "p", true, &found);
	assert_string_equal(buf_string(&found), "p/a p/b p/c p/link p/b/a p/b/d p/b/d/x ");
}

static void test_room_is_for_all_names_together(void **state)
{
	for (size_t room = 0; room <= 7; room++) {
		auto_walk struct walk w = {.room = room};
		auto_buf struct buf found = {0};
		size_t count = 0;

		paths(&w, "", true, &found);
		for (size_t i = 0; i < found.length; i++)
			count += found.data[i] == ' ';
		assert_int_equal(count, room);
		assert_int_equal(w.cut, room < 7);
	}
	(void)state;
}

static void test_a_link_is_not_entered(void **state)
{
	auto_walk struct walk w = {.room = 100};

	(void)state;
	assert_int_equal(walk_begin(&w, base, -1, ""), 0);
	while (walk_next(&w) > 0 && strcmp(w.name, "link"))
		;
	assert_int_equal(walk_enter(&w, walk_open(&w), -1), -1);
	assert_int_equal(walk_next(&w), 0);
}

static void test_what_was_put_off_and_became_a_link_is_not_entered(void **state)
{
	auto_walk struct walk w = {.room = 100};

	(void)state;
	assert_int_equal(walk_begin(&w, base, -1, ""), 0);
	while (walk_next(&w) > 0) {
		if (strcmp(w.name, "b"))
			continue;
		walk_put_off(&w);
		assert_int_equal(renameat(base, "b", base, "z"), 0);
		assert_int_equal(symlinkat("z", base, "b"), 0);
		while (walk_next(&w) > 0)
			assert_int_equal(w.depth, 1);
		assert_string_equal(w.path, "b");
		return;
	}
	fail();
}

static void test_a_deep_tree_is_walked_in_both_orders(void **state)
{
	enum { LEVELS = 100 };
	char name[201];
	int at = dup(base);

	(void)state;
	memset(name, 'n', 200);
	name[200] = '\0';
	for (int i = 0; i < LEVELS; i++) { /* 20,000 bytes: no system call takes such a path */
		int next;

		assert_int_equal(mkdirat(at, name, 0755), 0);
		next = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		own_close(&at);
		at = next;
	}
	own_close(&at);
	for (int put_off = 0; put_off < 2; put_off++) {
		auto_walk struct walk w = {.room = 1000};
		auto_buf struct buf found = {0};

		paths(&w, "", put_off, &found);
		assert_true(found.length > 200 * LEVELS * LEVELS / 2);
	}
	assert_int_equal(remove_tree(base, name, UINT64_MAX), 0);
}

static void test_what_goes_along_is_closed_with_its_directory(void **state)
{
	unsigned before = unit_count_open();

	(void)state;
	{
		auto_walk struct walk w = {.room = 100};
		auto_walk struct walk never_begun = {.room = 1};

		assert_int_equal(walk_begin(&w, base, base, ""), 0);
		while (walk_next(&w) > 0) {
			if (!strcmp(w.name, "b"))
				walk_enter(&w, walk_open(&w), dup(base));
			if (!strcmp(w.path, "b/a"))
				break;
		}
	}
	assert_int_equal(unit_count_open(), before);
}

static void test_names_beyond_the_most_are_told(void **state)
{
	auto_list struct list some = {0};
	auto_list struct list all = {0};

	(void)state;
	assert_int_equal(names_read(base, 3, &some), 1);
	assert_int_equal(some.count, 3);
	assert_int_equal(names_read(base, 4, &all), 0);
	assert_int_equal(all.count, 4);
	assert_string_equal(all.items[3], "link");
}

static void test_a_tree_is_removed_and_a_link_alone(void **state)
{
	(void)state;
	assert_int_equal(remove_tree(base, "link", UINT64_MAX), 0);
	assert_int_equal(faccessat(base, "b/d/x", F_OK, 0), 0);
	assert_int_equal(remove_tree(base, "b", 0), -1);
	assert_int_equal(errno, ETIMEDOUT);
	assert_int_equal(fchmodat(base, "b", 0, 0), 0);
	assert_int_equal(remove_tree(base, "b", UINT64_MAX), 0);
	assert_int_equal(remove_tree(base, "b", UINT64_MAX), 0);
	assert_int_equal(faccessat(base, "b", F_OK, 0), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_parents_come_first_and_names_are_sorted),
		TEST(test_directories_may_come_last),
		TEST(test_what_is_put_off_comes_level_by_level),
		TEST(test_room_is_for_all_names_together),
		TEST(test_a_link_is_not_entered),
		TEST(test_what_was_put_off_and_became_a_link_is_not_entered),
		TEST(test_a_deep_tree_is_walked_in_both_orders),
		TEST(test_what_goes_along_is_closed_with_its_directory),
		TEST(test_names_beyond_the_most_are_told),
		TEST(test_a_tree_is_removed_and_a_link_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
