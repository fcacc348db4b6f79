/*
 * test_record - the log of what was reached and refused: what a program that is refused often
 * cannot push out of it.
 */
#include "unit.h"

#include "base/own.h"
#include "egress/record.h"

#define LOG_BYTES 4000

static struct record record;
static int log_ends[2];

static int begin(void **state)
{
	(void)state;
	assert_int_equal(pipe2(log_ends, O_NONBLOCK | O_CLOEXEC), 0);
	record = (struct record){.log = log_ends[1], .log_bytes = LOG_BYTES};
	return 0;
}

static int end(void **state)
{
	(void)state;
	close(log_ends[0]);
	close(log_ends[1]);
	return 0;
}

static void add_refused(unsigned times)
{
	const struct record_entry entry = {.what = "query",
					   .name = "evil.example",
					   .port = 53,
					   .is_refused = true,
					   .reason = "not listed"};

	for (unsigned i = 0; i < times; i++)
		record_add(&record, &entry);
}

static void add_allowed(unsigned times)
{
	const struct record_entry entry = {
		.what = "connection", .name = "api.example", .port = 443, .bytes_out = 6};

	for (unsigned i = 0; i < times; i++)
		record_add(&record, &entry);
}

/* What has been written since the last call. */
static const char *written(void)
{
	static char text[2 * LOG_BYTES];
	ssize_t n = read(log_ends[0], text, sizeof(text) - 1);

	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

static void test_refusals_take_half_of_it(void **state)
{
	const char *text;

	(void)state;
	add_refused(1000);
	text = written();
	assert_true(strlen(text) <= LOG_BYTES / 2);
	assert_true(strlen(text) > LOG_BYTES / 4);
	assert_int_equal(text[strlen(text) - 1], '\n');
	assert_int_equal(count(text, "log_truncated"), 0);
	assert_true(record.log_truncated);
	assert_int_equal(record.counters.refused, 1000);
}

static void test_what_was_reached_is_written_behind_them(void **state)
{
	const char *text;

	(void)state;
	add_refused(1000);
	(void)written();
	add_allowed(1);
	add_refused(1);
	add_allowed(1);
	text = written();
	assert_int_equal(count(text, "\"api.example\""), 2);
	assert_int_equal(count(text, "\n"), 2);
}

/* The half of refusals is a bound of theirs, and no part that others may not have. */
static void test_what_was_reached_may_take_all_of_it(void **state)
{
	const char *text;

	(void)state;
	add_allowed(1000);
	text = written();
	assert_true(strlen(text) <= LOG_BYTES);
	assert_true(strlen(text) > LOG_BYTES * 3 / 4);
	assert_true(record.log_truncated);
	assert_string_equal(text + strlen(text) - strlen("{\"what\":\"log_truncated\"}\n"),
			    "{\"what\":\"log_truncated\"}\n");
	add_allowed(1);
	add_refused(1);
	assert_string_equal(written(), "");
}

static void test_a_log_that_has_room_is_whole(void **state)
{
	(void)state;
	add_refused(5);
	add_allowed(5);
	assert_int_equal(count(written(), "\n"), 10);
	assert_false(record.log_truncated);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_refusals_take_half_of_it),
		TEST(test_what_was_reached_is_written_behind_them),
		TEST(test_what_was_reached_may_take_all_of_it),
		TEST(test_a_log_that_has_room_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
