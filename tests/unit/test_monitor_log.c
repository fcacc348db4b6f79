/*
 * test_monitor_log - the log of a sandbox that stays: what is added is read, in order, by lines and
 * by times; the newest is kept.
 */
#include "unit.h"

#include <errno.h>

#include "record/log.h"

static const struct log_wish everything = {.until_ms = UINT64_MAX, .tail = UINT64_MAX};
static int dir; /* of a record */

static int set_up(void **state)
{
	(void)state;
	unlinkat(dir, "log", 0);
	unlinkat(dir, "log.old", 0);
	return 0;
}

static void add(struct log *l, int stream, const char *text)
{
	log_add(l, stream, text, strlen(text));
}

static struct log opened(uint64_t most)
{
	struct log l;
	struct err e;

	accepts(log_begin(&l, dir, most, &e), "a log");
	return l;
}

/* What a reader writes to descriptors 1 and 2. */
static char said[2][1 << 16];

static void read_on(struct log_reader *r)
{
	const char *const names[] = {"out", "err"};
	int kept[2];
	int result;

	(void)fflush(NULL);
	for (int i = 0; i < 2; i++) {
		int fd = openat(dir, names[i], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		kept[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 3);
		assert_true(fd >= 0 && kept[i] >= 0 && dup2(fd, i + 1) == i + 1);
		close(fd);
	}
	result = log_read(r);
	for (int i = 0; i < 2; i++) {
		ssize_t n = pread(i + 1, said[i], sizeof(said[i]) - 1, 0);

		said[i][n > 0 ? n : 0] = '\0';
		dup2(kept[i], i + 1);
		close(kept[i]);
	}
	assert_int_equal(result, 0);
}

static void read_all(struct log_wish wish)
{
	struct log_reader *r = log_read_open(dir, &wish);

	read_on(r);
	log_read_close(r);
}

static void assert_said(const char *out, const char *errors)
{
	assert_string_equal(said[0], out);
	assert_string_equal(said[1], errors);
}

static void assert_tail(uint64_t lines, const char *out, const char *errors)
{
	struct log_wish wish = everything;

	wish.tail = lines;
	read_all(wish);
	assert_said(out, errors);
}

static void write_log(const char *name, const char *text)
{
	unit_write(dir, name, text, strlen(text));
}

static void test_each_stream_has_its_bytes(void **state)
{
	struct log l = opened(UINT64_MAX);

	(void)state;
	add(&l, 1, "out\n");
	add(&l, 2, "1 2 3\n4 5");
	add(&l, 1, "more");
	log_add(&l, 2, "\0\xff", 2);
	log_end(&l);
	read_all(everything);
	assert_string_equal(said[0], "out\nmore");
	assert_memory_equal(said[1], "1 2 3\n4 5\0\xff", 12);
	assert_int_equal(l.error, 0);
}

static void test_a_log_that_is_not_there_is_empty(void **state)
{
	(void)state;
	read_all(everything);
	assert_said("", "");
	assert_tail(3, "", "");
}

static void test_a_reader_goes_on(void **state)
{
	struct log_reader *r = log_read_open(dir, &everything);
	struct log l = opened(UINT64_MAX);

	(void)state;
	read_on(r);
	assert_said("", "");
	add(&l, 1, "a");
	read_on(r);
	assert_said("a", "");
	add(&l, 2, "b");
	read_on(r);
	assert_said("", "b");
	read_on(r);
	assert_said("", "");
	log_read_close(r);
	log_end(&l);
}

static void test_a_piece_that_is_cut_waits_for_its_rest(void **state)
{
	struct log_reader *r = log_read_open(dir, &everything);
	const char *const whole = "1000000000 1 4\nabcd2000000000 2 2\nef";

	(void)state;
	for (size_t length = 0; length <= strlen(whole); length++) {
		unit_write(dir, "log", whole, length);
		read_all(everything);
		assert_said(length < 19 ? "" : "abcd", length < strlen(whole) ? "" : "ef");
	}
	log_read_close(r);
}

static void test_a_log_is_continued_behind_a_piece_that_is_cut(void **state)
{
	struct log l;

	(void)state;
	write_log("log", "1000000000 1 4\nabcd2000000000 2 20\nef");
	l = opened(UINT64_MAX);
	add(&l, 1, "next");
	log_end(&l);
	read_all(everything);
	assert_said("abcdnext", "");
}

static void test_what_is_no_piece_is_not_printed(void **state)
{
	static const char *const wrong[] = {
		"garbage\n",
		"1 3 1\nx",
		"1 0 1\nx",
		"1 1 99999999999\nx",
		"1 1 -1\nx",
		"                                                                  1 1 1\nx",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		write_log("log", wrong[i]);
		read_all(everything);
		assert_said("", "");
	}
}

/* The bytes of both files. */
static uint64_t kept_bytes(void)
{
	struct stat st[2] = {{.st_size = 0}};

	(void)fstatat(dir, "log", &st[0], 0);
	(void)fstatat(dir, "log.old", &st[1], 0);
	return (uint64_t)(st[0].st_size + st[1].st_size);
}

static void test_the_newest_is_kept(void **state)
{
	struct log l = opened(1000);
	char line[16];

	(void)state;
	for (int i = 0; i < 200; i++) {
		snprintf(line, sizeof(line), "%d\n", i);
		add(&l, 1 + i % 2, line);
		assert_true(kept_bytes() <= 1000);
	}
	log_end(&l);
	assert_true(kept_bytes() > 500);
	assert_tail(4, "196\n198\n", "197\n199\n");
}

static void test_a_large_piece_keeps_to_the_limit(void **state)
{
	static char large[5000];
	struct log l = opened(1000);

	(void)state;
	memset(large, 'x', sizeof(large));
	log_add(&l, 1, large, sizeof(large));
	add(&l, 1, "end\n");
	log_end(&l);
	assert_true(kept_bytes() <= 1000);
	assert_tail(UINT64_MAX, said[0], "");
	assert_string_equal(said[0] + strlen(said[0]) - 5, "xend\n");
}

static void test_a_reader_follows_into_the_next_file(void **state)
{
	struct log_reader *r = log_read_open(dir, &everything);
	struct log l = opened(300);
	char line[16];

	(void)state;
	for (int i = 0; i < 100; i++) {
		snprintf(line, sizeof(line), "%d\n", i);
		add(&l, 1, line);
		read_on(r);
		assert_said(line, "");
	}
	log_read_close(r);
	log_end(&l);
}

static void test_the_last_lines(void **state)
{
	struct log l = opened(UINT64_MAX);

	(void)state;
	add(&l, 1, "1\n2\n3");
	add(&l, 2, "a\n");
	add(&l, 1, "3\n4\n");
	assert_tail(0, "", "");
	assert_tail(1, "4\n", "");
	assert_tail(3, "33\n4\n", "a\n");
	assert_tail(5, "1\n2\n33\n4\n", "a\n");
	assert_tail(100, "1\n2\n33\n4\n", "a\n");
	add(&l, 1, "no end");
	assert_tail(1, "no end", "");
	assert_tail(2, "4\nno end", "");
	log_end(&l);
}

static void test_none_of_the_lines_and_what_comes(void **state)
{
	struct log_wish wish = everything;
	struct log l = opened(UINT64_MAX);
	struct log_reader *r;

	(void)state;
	wish.tail = 0;
	add(&l, 1, "before\n");
	r = log_read_open(dir, &wish);
	read_on(r);
	assert_said("", "");
	add(&l, 1, "after\n");
	read_on(r);
	assert_said("after\n", "");
	log_read_close(r);
	log_end(&l);
}

static void test_times(void **state)
{
	struct log_wish wish = everything;

	(void)state;
	wish.times = true;
	write_log("log",
		  "0 1 4\na\nb\n"
		  "1000000001 1 1\nc"
		  "1500000000 2 2\n\nx"
		  "1795964755999999999 1 2\nd\n");
	read_all(wish);
	assert_said(
		"1970-01-01T00:00:00.000000000Z a\n1970-01-01T00:00:00.000000000Z b\n"
		"1970-01-01T00:00:01.000000001Z cd\n",
		"1970-01-01T00:00:01.500000000Z \n1970-01-01T00:00:01.500000000Z x");
}

static void assert_between(uint64_t since_ms, uint64_t until_ms, const char *out)
{
	struct log_wish wish = everything;

	wish.since_ms = since_ms;
	wish.until_ms = until_ms;
	read_all(wish);
	assert_string_equal(said[0], out);
}

static void test_since_and_until(void **state)
{
	struct log_wish wish = everything;

	(void)state;
	write_log("log.old", "1000000000 1 1\na1500999999 1 1\nb");
	write_log("log", "2000000000 1 1\nc");
	assert_between(0, UINT64_MAX, "abc");
	assert_between(1000, 2000, "ab");
	assert_between(1001, 2001, "bc");
	assert_between(1500, 1500, "");
	assert_between(1500, 1501, "b");
	assert_between(2001, UINT64_MAX, "");
	wish.until_ms = 2000;
	wish.tail = 1;
	read_all(wish);
	assert_string_equal(said[0], "ab"); /* one line, without an end */
}

static void test_a_full_disk_loses_pieces(void **state)
{
	struct log l = opened(UINT64_MAX);

	(void)state;
	close(l.fd);
	l.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	add(&l, 1, "lost");
	assert_int_equal(l.error, ENOSPC);
	log_end(&l);
	read_all(everything);
	assert_said("", "");
}

static void test_a_link_is_not_followed(void **state)
{
	struct log l;
	struct err e;

	(void)state;
	unit_write(dir, "other", "kept", 4);
	assert_int_equal(symlinkat("other", dir, "log"), 0);
	refuses(log_begin(&l, dir, UINT64_MAX, &e), "a link", ERR_SYSTEM, "log");
	log_end(&l);
	assert_string_equal(unit_read(dir, "other"), "kept");
	read_all(everything);
	assert_said("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_each_stream_has_its_bytes, set_up),
		cmocka_unit_test_setup(test_a_log_that_is_not_there_is_empty, set_up),
		cmocka_unit_test_setup(test_a_reader_goes_on, set_up),
		cmocka_unit_test_setup(test_a_piece_that_is_cut_waits_for_its_rest, set_up),
		cmocka_unit_test_setup(test_a_log_is_continued_behind_a_piece_that_is_cut, set_up),
		cmocka_unit_test_setup(test_what_is_no_piece_is_not_printed, set_up),
		cmocka_unit_test_setup(test_the_newest_is_kept, set_up),
		cmocka_unit_test_setup(test_a_large_piece_keeps_to_the_limit, set_up),
		cmocka_unit_test_setup(test_a_reader_follows_into_the_next_file, set_up),
		cmocka_unit_test_setup(test_the_last_lines, set_up),
		cmocka_unit_test_setup(test_none_of_the_lines_and_what_comes, set_up),
		cmocka_unit_test_setup(test_times, set_up),
		cmocka_unit_test_setup(test_since_and_until, set_up),
		cmocka_unit_test_setup(test_a_full_disk_loses_pieces, set_up),
		cmocka_unit_test_setup(test_a_link_is_not_followed, set_up),
	};
	int failed;

	dir = unit_enter();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unit_leave(dir);
	return failed;
}
