/*
 * test_ustar - headers of a tar archive, byte by byte. That others can read them is tried by
 * tests/serve/test_session_files.py.
 */
#include "unit.h"

#include <string.h>

#include "client/ustar.h"

static struct buf made;

static int begin(void **state)
{
	(void)state;
	made = (struct buf){0};
	return 0;
}

static int end(void **state)
{
	(void)state;
	buf_fini(&made);
	return 0;
}

static void put(enum ustar_type type, const char *path, const char *target)
{
	const struct ustar_entry entry = {
		.type = type, .path = path, .target = target, .mode = 0104755, .mtime_s = 8};

	buf_cut(&made, 0);
	ustar_put(&entry, &made);
	assert_int_equal(made.length % TAR_BLOCK, 0);
}

static void test_a_file(void **state)
{
	const struct ustar_entry entry = {
		.type = USTAR_FILE, .path = "a/b", .mode = 0100640, .size = 0777, .mtime_s = -1};
	unsigned sum = 0;

	(void)state;
	ustar_put(&entry, &made);
	assert_int_equal(made.length, TAR_BLOCK);
	assert_string_equal(made.data, "a/b");
	assert_string_equal(made.data + 100, "0000640");
	assert_string_equal(made.data + 108, "0000000");
	assert_string_equal(made.data + 124, "00000000777");
	assert_string_equal(made.data + 136, "00000000000");
	assert_int_equal(made.data[156], '0');
	assert_memory_equal(made.data + 257, "ustar\00000", 8);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i >= 148 && i < 156 ? ' ' : (unsigned char)made.data[i];
	assert_int_equal(strtoul(made.data + 148, NULL, 8), sum);
}

static void test_rights_are_those_of_files_only(void **state)
{
	(void)state;
	put(USTAR_FILE, "a", NULL);
	assert_string_equal(made.data + 100, "0000755");
}

static void test_a_directory_ends_with_a_slash(void **state)
{
	(void)state;
	put(USTAR_DIRECTORY, "a", NULL);
	assert_string_equal(made.data, "a/");
	assert_int_equal(made.data[156], '5');
}

static void test_a_time_beyond_all_is_the_last(void **state)
{
	const struct ustar_entry entry = {.type = USTAR_FILE, .path = "a", .mtime_s = INT64_MAX};

	(void)state;
	ustar_put(&entry, &made);
	assert_string_equal(made.data + 136, "77777777777");
}

/* In one part, in two, and where neither is possible in a record of its own. */
static void test_paths_of_every_length(void **state)
{
	char path[400];
	char record[500];

	(void)state;
	for (size_t slash = 1; slash < 300; slash++) {
		for (size_t length = slash + 2; length < 320; length += 7) {
			const bool in_one = length <= 100;
			const bool in_two = slash <= 155 && length - slash - 1 <= 100;

			memset(path, 'x', length);
			path[slash] = '/';
			path[length] = '\0';
			put(USTAR_FILE, path, NULL);
			assert_int_equal(made.length / TAR_BLOCK, in_one || in_two ? 1 : 3);
			if (in_one) {
				assert_memory_equal(made.data, path, length);
			} else if (in_two) {
				assert_memory_equal(made.data + 345, path, slash);
				assert_memory_equal(made.data, path + slash + 1,
						    length - slash - 1);
			} else {
				snprintf(record, sizeof(record), "%zu path=%s\n", length + 10,
					 path);
				assert_string_equal(made.data + TAR_BLOCK, record);
				assert_int_equal(made.data[156], 'x');
			}
		}
	}
}

static void test_a_record_counts_its_own_digits(void **state)
{
	char target[2000];
	char *rest;

	(void)state;
	for (size_t length = 101; length < sizeof(target); length++) {
		memset(target, 'x', length);
		target[length] = '\0';
		put(USTAR_LINK, "l", target);
		assert_int_equal(strtoul(made.data + TAR_BLOCK, &rest, 10),
				 strtoul(made.data + 124, NULL, 8));
		assert_memory_equal(rest, " linkpath=", 10);
		assert_int_equal(rest[10 + length], '\n');
	}
}

static void test_bytes_that_are_no_text_are_called_so(void **state)
{
	char path[200];

	(void)state;
	memset(path, 0xff, sizeof(path));
	path[sizeof(path) - 1] = '\0';
	put(USTAR_FILE, path, NULL);
	assert_memory_equal(made.data + TAR_BLOCK, "21 hdrcharset=BINARY\n209 path=", 30);
}

static void test_what_follows(void **state)
{
	(void)state;
	assert_int_equal(ustar_padding(0), 0);
	assert_int_equal(ustar_padding(1), 511);
	assert_int_equal(ustar_padding(512), 0);
	assert_int_equal(ustar_padding(513), 511);
	ustar_put_end(&made);
	assert_int_equal(made.length, 1024);
	for (size_t i = 0; i < made.length; i++)
		assert_int_equal(made.data[i], 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_file),
		TEST(test_rights_are_those_of_files_only),
		TEST(test_a_directory_ends_with_a_slash),
		TEST(test_a_time_beyond_all_is_the_last),
		TEST(test_paths_of_every_length),
		TEST(test_a_record_counts_its_own_digits),
		TEST(test_bytes_that_are_no_text_are_called_so),
		TEST(test_what_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
