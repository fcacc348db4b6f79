/*
 * test_mover_told - what mover tells of a watched directory is a stranger's: whatever it is, it is
 * a change, waits for more, or is refused.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "workspace/mover_told.h"

static struct change change;

static void add(struct buf *out, uint32_t kind, const char *path, size_t length)
{
	const struct files_change head = {.kind = kind, .path_bytes = (uint16_t)length};

	buf_add(out, &head, sizeof(head));
	buf_add(out, path, length);
}

/* What it tells, and nothing behind it: 1 means that the change behind FILES_WATCHED is one. */
static int take_one(uint32_t kind, const char *path, size_t length)
{
	__attribute__((cleanup(mover_told_fini))) struct mover_told told = {0};
	auto_buf struct buf bytes = {0};

	add(&bytes, FILES_WATCHED, "", 0);
	add(&bytes, kind, path, length);
	mover_told_add(&told, bytes.data, bytes.length);
	assert_int_equal(mover_told_take(&told, &change), 1);
	return mover_told_take(&told, &change);
}

static void test_one_after_the_other(void **state)
{
	__attribute__((cleanup(mover_told_fini))) struct mover_told told = {0};
	auto_buf struct buf bytes = {0};

	(void)state;
	add(&bytes, FILES_WATCHED, "", 0);
	add(&bytes, FILES_CREATED, "a/\xff", 3);
	mover_told_add(&told, bytes.data, bytes.length);
	assert_int_equal(mover_told_take(&told, &change), 1);
	assert_int_equal(change.kind, FILES_WATCHED);
	assert_int_equal(mover_told_take(&told, &change), 1);
	assert_string_equal(change.path, "a/\xff");
	assert_string_equal(mover_told_word(change.kind), "created");
	assert_int_equal(mover_told_take(&told, &change), 0);
}

static void test_byte_by_byte(void **state)
{
	__attribute__((cleanup(mover_told_fini))) struct mover_told told = {0};
	auto_buf struct buf whole = {0};
	unsigned seen = 0;

	(void)state;
	add(&whole, FILES_WATCHED, "", 0);
	add(&whole, FILES_MODE, "name", 4);
	add(&whole, FILES_MODE, "other", 5);
	for (size_t at = 0; at < whole.length; at++) {
		mover_told_add(&told, whole.data + at, 1);
		seen += mover_told_take(&told, &change) == 1;
	}
	assert_int_equal(seen, 3);
	assert_string_equal(change.path, "other");
}

static void test_it_begins_once_and_first(void **state)
{
	__attribute__((cleanup(mover_told_fini))) struct mover_told told = {0};
	auto_buf struct buf bytes = {0};

	(void)state;
	assert_int_equal(take_one(FILES_WATCHED, "", 0), -1);
	add(&bytes, FILES_CREATED, "a", 1);
	mover_told_add(&told, bytes.data, bytes.length);
	assert_int_equal(mover_told_take(&told, &change), -1);
	/* What follows does not count, whatever it is, and takes no memory. */
	buf_cut(&bytes, 0);
	add(&bytes, FILES_WATCHED, "", 0);
	mover_told_add(&told, bytes.data, bytes.length);
	assert_int_equal(mover_told_take(&told, &change), -1);
	assert_int_equal(told.bytes.length, sizeof(struct files_change) + 1);
}

static void test_what_is_no_change(void **state)
{
	static const char *const paths[] = {"/a", "../a", "a/../b", "a//b", "a/", ".", "./a"};
	auto_buf struct buf long_path = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_int_equal(take_one(FILES_CREATED, paths[i], strlen(paths[i])), -1);
	assert_int_equal(take_one(FILES_CREATED, "a\0b", 3), -1);
	assert_int_equal(take_one(FILES_MODE + 1, "a", 1), -1);
	assert_int_equal(take_one(UINT32_MAX, "a", 1), -1);
	for (size_t i = 0; i <= FILES_PATH_BYTES_MAX; i++)
		buf_add(&long_path, i % 2 ? "/" : "a", 1);
	assert_int_equal(take_one(FILES_CREATED, long_path.data, long_path.length), -1);
	assert_int_equal(take_one(FILES_CREATED, long_path.data, long_path.length - 1), 1);
}

static void test_bytes_of_any_kind(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		__attribute__((cleanup(mover_told_fini))) struct mover_told told = {.has_begun =
											    i % 2};
		int n = 1;

		for (unsigned k = 0; k < 64; k++) {
			const char byte = (char)(k % 4 ? rand() % 3 : rand());

			mover_told_add(&told, &byte, 1);
		}
		while (n > 0) {
			n = mover_told_take(&told, &change);
			assert_true(n <= 0 || mover_told_word(change.kind));
		}
	}
}

static struct err judge(const void *bytes, size_t length)
{
	auto_buf struct buf said = {.cap = MOVER_SAID_BYTES};
	struct err e = {0};

	buf_add(&said, bytes, length);
	mover_told_judge(&said, "/d", &e);
	return e;
}

static struct err judge_wrong(enum files_wrong wrong, uint32_t error)
{
	const struct files_said said = {.wrong = wrong, .error = error, .mode = 0100644};

	return judge(&said, sizeof(said));
}

static void test_each_end_has_a_reason(void **state)
{
	(void)state;
	assert_int_equal(judge(NULL, 0).kind, ERR_SYSTEM);
	assert_int_equal(judge("x", 1).kind, ERR_SYSTEM);
	assert_int_equal(judge_wrong(FILES_FINE, 0).kind, ERR_GONE);
	assert_int_equal(judge_wrong(FILES_FAILED, ENOENT).kind, ERR_NOT_FOUND);
	assert_memory_equal(judge_wrong(FILES_FAILED, ENOENT).text, "/d: ", 4);
	assert_int_equal(judge_wrong(FILES_NOT_WANTED, 0).kind, ERR_INPUT);
	assert_int_equal(judge_wrong(FILES_TOO_MANY, 0).kind, ERR_INPUT);
	assert_int_equal(judge_wrong(FILES_LOST, 0).kind, ERR_LIMIT);
	assert_int_equal(judge_wrong(FILES_FAILED, EMFILE).kind, ERR_LIMIT);
	for (unsigned wrong = 0; wrong < 100; wrong++)
		assert_true(*judge_wrong(wrong, wrong).text);
}

static void test_usage(void **state)
{
	const struct files_said said = {.size = 3, .bytes = 4096, .entries = 2, .unread = 1};
	auto_buf struct buf bytes = {.cap = MOVER_SAID_BYTES};
	struct files_usage usage;
	struct err e;

	(void)state;
	assert_int_equal(mover_told_usage(&bytes, "/d", 9, &usage, &e), -1);
	buf_add(&bytes, &said, sizeof(said));
	assert_int_equal(mover_told_usage(&bytes, "/d", 9, &usage, &e), 0);
	assert_true(usage.bytes == 3 && usage.allocated == 4096);
	assert_true(usage.entries == 2 && usage.unread == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_after_the_other),
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_it_begins_once_and_first),
		cmocka_unit_test(test_what_is_no_change),
		cmocka_unit_test(test_bytes_of_any_kind),
		cmocka_unit_test(test_each_end_has_a_reason),
		cmocka_unit_test(test_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
