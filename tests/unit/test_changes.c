/*
 * test_changes - which files appeared or changed between two looks.
 */
#include "unit.h"

#include <sys/time.h>

#include "fs/changes.h"

static struct output_files found;
static struct file_marks before;
static struct file_marks after;
static int dir;

static int new_directory(void **state)
{
	(void)state;
	dir = unit_enter();
	found = (struct output_files){0};
	return 0;
}

static int end_directory(void **state)
{
	(void)state;
	output_files_fini(&found);
	changes_fini(&before);
	changes_fini(&after);
	unit_leave(dir);
	return 0;
}

static void list(void)
{
	changes_look(dir, CHANGES_ENTRIES_MAX, &after);
	changes_list(&before, &after, &found);
}

static void is_listed(size_t i, const char *path, uint64_t size, const char *change)
{
	assert_true(i < found.count);
	assert_string_equal(found.items[i].path, path);
	assert_int_equal(found.items[i].size_bytes, size);
	assert_string_equal(found.items[i].change, change);
}

static void test_what_stays_is_not_listed(void **state)
{
	(void)state;
	unit_write(dir, "a", "1", 1);
	mkdirat(dir, "d", 0755);
	unit_write(dir, "d/b", "2", 1);
	changes_look(dir, CHANGES_ENTRIES_MAX, &before);
	assert_int_equal(before.count, 2);
	list();
	assert_int_equal(found.count, 0);
}

static void test_new_files_are_listed_by_path(void **state)
{
	(void)state;
	changes_look(dir, CHANGES_ENTRIES_MAX, &before);
	assert_int_equal(before.count, 0);
	mkdirat(dir, "d", 0755);
	unit_write(dir, "z", "123", 3);
	unit_write(dir, "d/y", "", 0);
	unit_write(dir, "a", "1", 1);
	list();
	assert_int_equal(found.count, 3);
	is_listed(0, "a", 1, "new");
	is_listed(1, "d/y", 0, "new");
	is_listed(2, "z", 3, "new");
}

/* Directories count towards the bound as files do. */
static void test_a_look_ends_after_so_many_entries(void **state)
{
	(void)state;
	mkdirat(dir, "d", 0755);
	mkdirat(dir, "d/e", 0755);
	unit_write(dir, "f", "1", 1);
	changes_look(dir, 3, &after);
	assert_false(after.truncated);
	assert_int_equal(after.count, 1);
	changes_fini(&after);
	changes_look(dir, 2, &after);
	assert_true(after.truncated);
	changes_list(&before, &after, &found);
	assert_int_equal(found.dropped, 1);
}

static void test_a_changed_size_is_a_change(void **state)
{
	(void)state;
	unit_write(dir, "f", "1", 1);
	changes_look(dir, CHANGES_ENTRIES_MAX, &before);
	unit_write(dir, "f", "12", 2);
	list();
	assert_int_equal(found.count, 1);
	is_listed(0, "f", 2, "changed");
}

static void test_another_file_under_the_same_name_is_a_change(void **state)
{
	(void)state;
	unit_write(dir, "f", "1", 1);
	unit_write(dir, "other", "2", 1);
	changes_look(dir, CHANGES_ENTRIES_MAX, &before);
	before.items[0].changed_ns = before.items[1].changed_ns = 0;
	assert_int_equal(renameat(dir, "other", dir, "f"), 0);
	changes_look(dir, CHANGES_ENTRIES_MAX, &after);
	after.items[0].changed_ns = 0;
	changes_list(&before, &after, &found);
	assert_int_equal(found.count, 1);
	is_listed(0, "f", 1, "changed");
}

/* utimes(2) can set the modification time, but not ctime. */
static void test_a_time_set_back_does_not_hide_a_change(void **state)
{
	struct stat st;
	struct timespec times[2];

	(void)state;
	unit_write(dir, "f", "1", 1);
	assert_int_equal(fstatat(dir, "f", &st, 0), 0);
	changes_look(dir, CHANGES_ENTRIES_MAX, &before);
	/*
	 * The file system's clock has a granularity of milliseconds: until it ticks, no change can
	 * be seen.
	 */
	for (int i = 0; i < 100000; i++) {
		struct stat now;

		unit_write(dir, "f", "2", 1);
		assert_int_equal(fstatat(dir, "f", &now, 0), 0);
		if (now.st_ctim.tv_nsec != st.st_ctim.tv_nsec)
			break;
	}
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	assert_int_equal(utimensat(dir, "f", times, 0), 0);
	list();
	assert_int_equal(found.count, 1);
	is_listed(0, "f", 1, "changed");
}

static void test_removed_files_are_not_listed(void **state)
{
	(void)state;
	unit_write(dir, "f", "1", 1);
	changes_look(dir, CHANGES_ENTRIES_MAX, &before);
	assert_int_equal(unlinkat(dir, "f", 0), 0);
	list();
	assert_int_equal(found.count, 0);
	assert_int_equal(after.count, 0);
}

static void test_nothing_but_files_is_seen_or_followed(void **state)
{
	(void)state;
	changes_look(dir, CHANGES_ENTRIES_MAX, &before);
	assert_int_equal(symlinkat("/etc", dir, "directory"), 0);
	assert_int_equal(symlinkat("/etc/passwd", dir, "file"), 0);
	assert_int_equal(symlinkat(".", dir, "loop"), 0);
	assert_int_equal(mkfifoat(dir, "fifo", 0600), 0);
	assert_int_equal(mkdirat(dir, "empty", 0755), 0);
	list();
	assert_int_equal(found.count, 0);
}

static void test_names_of_any_bytes(void **state)
{
	(void)state;
	changes_look(dir, CHANGES_ENTRIES_MAX, &before);
	unit_write(dir, "\xff\n\x01", "1", 1);
	list();
	assert_int_equal(found.count, 1);
	is_listed(0, "\xff\n\x01", 1, "new");
}

static void test_many_files_are_sorted_and_found_again(void **state)
{
	(void)state;
	for (int i = 0; i < 1025; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", (i * 619) % 1025);
		unit_write(dir, name, "", 0);
	}
	changes_look(dir, CHANGES_ENTRIES_MAX, &before);
	assert_int_equal(before.count, 1025);
	for (size_t i = 1; i < before.count; i++)
		assert_true(strcmp(before.items[i - 1].path, before.items[i].path) < 0);
	unit_write(dir, "f777", "x", 1);
	list();
	assert_int_equal(found.count, 1);
	is_listed(0, "f777", 1, "changed");
}

static void test_what_is_too_deep_counts_as_dropped(void **state)
{
	int at = dup(dir);

	(void)state;
	changes_look(dir, CHANGES_ENTRIES_MAX, &before);
	for (int depth = 0; depth < 200; depth++) {
		int next;

		unit_write(at, "f", "", 0);
		assert_int_equal(mkdirat(at, "d", 0755), 0);
		next = openat(at, "d", O_RDONLY | O_DIRECTORY);
		close(at);
		at = next;
	}
	close(at);
	unit_write(dir, "z", "", 0);
	list();
	assert_in_range(found.count, 60, 70);
	assert_string_equal(found.items[found.count - 1].path, "z");
	assert_int_equal(found.dropped, 1);
}

static void test_what_is_deep_and_seen_drops_nothing(void **state)
{
	char path[2 * 64 + 2] = "";

	(void)state;
	for (int depth = 0; depth < 64; depth++) {
		strcat(path, depth ? "/d" : "d");
		assert_int_equal(mkdirat(dir, path, 0755), 0);
	}
	strcat(path, "/f");
	unit_write(dir, path, "1", 1);
	list();
	assert_int_equal(found.count, 1);
	is_listed(0, path, 1, "new");
	assert_int_equal(found.dropped, 0);
}

static void test_a_second_look_needs_no_rewind(void **state)
{
	(void)state;
	unit_write(dir, "f", "", 0);
	for (int i = 0; i < 3; i++) {
		changes_look(dir, CHANGES_ENTRIES_MAX, &after);
		assert_int_equal(after.count, 1);
		changes_fini(&after);
		assert_int_equal(after.count, 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_directory, end_directory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_stays_is_not_listed),
		TEST(test_new_files_are_listed_by_path),
		TEST(test_a_changed_size_is_a_change),
		TEST(test_another_file_under_the_same_name_is_a_change),
		TEST(test_a_time_set_back_does_not_hide_a_change),
		TEST(test_removed_files_are_not_listed),
		TEST(test_nothing_but_files_is_seen_or_followed),
		TEST(test_names_of_any_bytes),
		TEST(test_many_files_are_sorted_and_found_again),
		TEST(test_what_is_too_deep_counts_as_dropped),
		TEST(test_what_is_deep_and_seen_drops_nothing),
		TEST(test_a_look_ends_after_so_many_entries),
		TEST(test_a_second_look_needs_no_rewind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
