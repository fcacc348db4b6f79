/*
 * test_figures - only the pictures of an answer become files.
 */
#include "unit.h"

#include <dirent.h>

#include "base/json.h"
#include "session/figures.h"

#define PNG "iVBORw0KGgo=" /* the signature alone */

static int entries(int fd)
{
	DIR *dir = fdopendir(dup(fd));
	int count = 0;

	rewinddir(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static void save(int fd, const char *text)
{
	struct err e;
	struct json *json = json_parse(text, strlen(text), &e);

	assert_non_null(json);
	figures_save(fd, json, NULL);
	json_free(json);
}

static void test_each_picture_gets_a_free_name(void **state)
{
	int fd = unit_enter();
	struct stat st;

	(void)state;
	unit_write(fd, "figure-1.png", "mine", 4);
	save(fd,
	     "[{\"image/png\":\"" PNG "\"},{\"text/plain\":\"x\"},{\"image/png\":\"" PNG "\"}]");
	assert_string_equal(unit_read(fd, "figure-1.png"), "mine");
	assert_int_equal(fstatat(fd, "figure-2.png", &st, 0), 0);
	assert_int_equal(st.st_size, 8);
	assert_int_equal(fstatat(fd, "figure-3.png", &st, 0), 0);
	save(fd, "{\"image/png\":\"" PNG "\"}");
	assert_int_equal(entries(fd), 4);
	unit_leave(fd);
}

static void test_a_link_is_neither_followed_nor_replaced(void **state)
{
	int fd = unit_enter();
	struct stat st;

	(void)state;
	assert_int_equal(symlinkat("target", fd, "figure-1.png"), 0);
	save(fd, "[{\"image/png\":\"" PNG "\"}]");
	assert_int_equal(fstatat(fd, "target", &st, 0), -1);
	assert_int_equal(fstatat(fd, "figure-2.png", &st, 0), 0);
	unit_leave(fd);
}

static void test_what_is_no_picture_is_left_out(void **state)
{
	static const char *const rows[] = {
		"[{\"image/png\":\"Zm9vYmFyYmF6\"}]",
		"[{\"image/png\":\"not base64\"}]",
		"[{\"image/png\":\"\"}]",
		"[{\"image/png\":[\"" PNG "\"]}]",
		"[{\"image/svg+xml\":\"" PNG "\"}]",
		"[[\"image/png\"],3,\"x\",null]",
		"\"" PNG "\"",
		"{}",
	};
	int fd = unit_enter();

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		save(fd, rows[i]);
	figures_save(fd, NULL, NULL);
	assert_int_equal(entries(fd), 0);
	unit_leave(fd);
}

static void test_there_is_a_bound(void **state)
{
	auto_buf struct buf text = {0};
	int fd = unit_enter();

	(void)state;
	buf_text(&text, "[{}");
	for (int i = 0; i < FIGURES_MAX + 5; i++)
		buf_text(&text, ",{\"image/png\":\"" PNG "\"}");
	buf_text(&text, "]");
	save(fd, buf_string(&text));
	assert_int_equal(entries(fd), FIGURES_MAX);
	unit_leave(fd);
}

static void test_each_format_has_names_and_numbers_of_its_own(void **state)
{
	static const char text[] = "[{\"image/png\":\"" PNG
				   "\",\"image/svg+xml\":\"<svg/>\","
				   "\"application/pdf\":\"JVBERi0=\",\"image/jpeg\":\"/9j/\"},"
				   "{\"image/svg+xml\":\"no\",\"application/pdf\":\"" PNG "\"}]";
	auto_buf struct buf names = {0};
	int fd = unit_enter();
	struct err e;
	struct json *json = json_parse(text, strlen(text), &e);

	(void)state;
	figures_save(fd, json, &names);
	assert_string_equal(buf_string(&names),
			    "figure-1.png\nfigure-1.svg\nfigure-1.jpeg\nfigure-1.pdf\n");
	assert_int_equal(entries(fd), 4);
	json_free(json);
	unit_leave(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_picture_gets_a_free_name),
		cmocka_unit_test(test_a_link_is_neither_followed_nor_replaced),
		cmocka_unit_test(test_what_is_no_picture_is_left_out),
		cmocka_unit_test(test_there_is_a_bound),
		cmocka_unit_test(test_each_format_has_names_and_numbers_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
