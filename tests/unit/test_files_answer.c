/*
 * test_files_answer - what mover says is a stranger's: whatever it is, there is a result or an
 * error.
 */
#include "workspace/files_answer.h"

#include <errno.h>

#include "unit.h"

static struct files_request request;
static struct files_path path;
static struct files_result result;
static struct err e;

static int set_up(void **state)
{
	(void)state;
	request = (struct files_request){.action = FILES_LIST};
	files_rules_init(&request.rules);
	assert_int_equal(files_path_set(&path, "a/b", &e), 0);
	result = (struct files_result){0};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	buf_fini(&result.json);
	return 0;
}

static void add(struct buf *bytes, const char *name, size_t length, mode_t mode, const char *target)
{
	const struct files_entry entry = {.mode = mode,
					  .path_bytes = (uint16_t)length,
					  .target_bytes = (uint16_t)strlen(target)};

	buf_add(bytes, &entry, sizeof(entry));
	buf_add(bytes, name, length);
	buf_text(bytes, target);
}

static void add_file(struct buf *bytes, const char *name)
{
	add(bytes, name, strlen(name), S_IFREG | 0644, "");
}

static int list(const struct buf *bytes)
{
	return files_answer_list(bytes, &request.rules, &result, &e);
}

/* Whether the names come in this order. */
static void comes(const char *const *names, size_t count)
{
	const char *at = buf_string(&result.json);

	for (size_t i = 0; i < count; i++) {
		char member[64];

		snprintf(member, sizeof(member), "\"path\":\"%s\"", names[i]);
		at = strstr(at, member);
		assert_non_null(at);
	}
	assert_int_equal(result.listed.entries, count);
}

static void test_a_listing_is_sorted_by_level_and_directory(void **state)
{
	static const char *const names[] = {"a", "a.b", "b", "a/y", "a.b/x", "b/a", "a/y/1"};
	auto_buf struct buf bytes = {0};

	(void)state;
	for (size_t i = 7; i--;)
		add_file(&bytes, names[i]);
	assert_int_equal(list(&bytes), 0);
	comes(names, 7);
}

static void test_a_link_and_numbers_beyond_all(void **state)
{
	const struct files_entry giant = {UINT64_MAX, UINT64_MAX, INT64_MIN, S_IFIFO | 07777, 1, 0};
	auto_buf struct buf bytes = {0};

	(void)state;
	add(&bytes, "l", 1, S_IFLNK | 0777, "/etc");
	buf_add(&bytes, &giant, sizeof(giant));
	buf_text(&bytes, "g");
	assert_int_equal(list(&bytes), 0);
	assert_non_null(strstr(result.json.data, "\"target\":\"/etc\""));
	assert_non_null(strstr(result.json.data, "\"size\":9223372036854775807"));
}

static void test_what_is_no_listing(void **state)
{
	static const char *const paths[] = {"", "/a", "../a", "a/../b", "a//b", "a/", ".", "/etc"};
	auto_buf struct buf cut = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		auto_buf struct buf bytes = {0};

		add_file(&bytes, "good");
		add_file(&bytes, paths[i]);
		assert_int_equal(list(&bytes), -1);
	}
	add(&cut, "a\0b", 3, S_IFREG, "");
	assert_int_equal(list(&cut), -1);
	buf_cut(&cut, 0);
	add_file(&cut, "name");
	for (size_t length = sizeof(struct files_entry); length < cut.length; length++) {
		struct buf part = {.data = cut.data, .length = length};

		assert_int_equal(list(&part), -1);
		assert_int_equal(result.json.length, 0);
	}
}

static void test_bounds(void **state)
{
	auto_buf struct buf bytes = {0};

	(void)state;
	for (int i = 0; i < 9; i++) {
		const char name[] = {(char)('a' + i), '\0'};

		add_file(&bytes, name);
	}
	request.rules.max_entries = 4;
	assert_int_equal(list(&bytes), 0);
	assert_int_equal(result.listed.entries, 4);
	buf_fini(&result.json);
	request.rules.max_entries = 100;
	request.rules.max_list_bytes = 200;
	assert_int_equal(list(&bytes), 0);
	assert_true(result.listed.truncated && result.json.length <= 200);
}

static void test_words_of_any_kind(void **state)
{
	struct files_said said = {0};

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		unsigned char *byte = (unsigned char *)&said;

		for (size_t k = 0; k < sizeof(said); k++)
			byte[k] = (unsigned char)rand();
		said.wrong = i % 9;
		request.action = i % 5;
		if (files_answer_read(&request, &path, &said, &result, &e))
			assert_true(strlen(e.text) > 0);
		assert_int_equal(result.got.mode & ~0777U, 0);
	}
}

static void test_errors_have_sentences(void **state)
{
	struct files_said said = {.wrong = FILES_FAILED, .error = ENOENT};

	(void)state;
	request.action = FILES_GET;
	assert_int_equal(files_answer_read(&request, &path, &said, &result, &e), -1);
	assert_int_equal(e.kind, ERR_NOT_FOUND);
	said = (struct files_said){.wrong = FILES_TOO_LARGE, .size = request.rules.max_bytes};
	assert_int_equal(files_answer_read(&request, &path, &said, &result, &e), -1);
	assert_int_equal(e.number, EFBIG);
	assert_int_equal(result.got.size_bytes, request.rules.max_bytes);
	said.size++;
	assert_int_equal(files_answer_read(&request, &path, &said, &result, &e), -1);
	assert_int_equal(e.kind, ERR_INPUT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_listing_is_sorted_by_level_and_directory),
		TEST(test_a_link_and_numbers_beyond_all),
		TEST(test_what_is_no_listing),
		TEST(test_bounds),
		TEST(test_words_of_any_kind),
		TEST(test_errors_have_sentences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
