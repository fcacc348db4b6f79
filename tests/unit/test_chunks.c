/*
 * test_chunks - a body in chunks gives the same data however it is cut, or is refused.
 */
#include "unit.h"

#include "web/chunks.h"

#define STREAM_BYTES 8192

/* What was read of a stream. */
struct outcome {
	enum chunks_event event; /* the last one */
	size_t used;             /* bytes of the stream */
	size_t size;
	char data[STREAM_BYTES];
};

/* Read one piece, from a block of its own size: what reads beyond it is seen. */
static void read_piece(struct chunks *c, const char *piece, size_t size, struct outcome *out)
{
	char *copy = malloc(size);
	const char *rest = copy;
	size_t left = size;
	const char *data;
	size_t length;

	assert_non_null(copy);
	memcpy(copy, piece, size);
	while ((out->event = chunks_read(c, &rest, &left, &data, &length)) == CHUNKS_DATA) {
		assert_true(length > 0 && data >= copy && data + length == rest);
		assert_true(out->size + length <= sizeof(out->data));
		memcpy(out->data + out->size, data, length);
		out->size += length;
	}
	assert_ptr_equal(rest + left, copy + size);
	assert_true(out->event != CHUNKS_MORE || !left);
	out->used += size - left;
	free(copy);
}

static void read_in_pieces(const char *stream, size_t length, size_t piece, struct outcome *out)
{
	struct chunks c = {0};

	*out = (struct outcome){.event = CHUNKS_MORE};
	while (out->event == CHUNKS_MORE && out->used < length) {
		size_t left = length - out->used;

		read_piece(&c, stream + out->used, left < piece ? left : piece, out);
	}
}

/* At once, and in pieces of any size: the same data, and the same end. */
static void read_all(const char *stream, size_t length, struct outcome *out)
{
	static const size_t pieces[] = {1, 2, 3, 7, 1000};
	static struct outcome other;

	read_in_pieces(stream, length, length, out);
	for (size_t i = 0; i < COUNT(pieces); i++) {
		read_in_pieces(stream, length, pieces[i], &other);
		assert_int_equal(other.event, out->event);
		assert_int_equal(other.used, out->used);
		assert_int_equal(other.size, out->size);
		assert_memory_equal(other.data, out->data, out->size);
	}
}

static struct outcome outcome;

static void is_good(const char *stream, const char *data)
{
	read_all(stream, strlen(stream), &outcome);
	if (outcome.event != CHUNKS_END || outcome.used != strlen(stream))
		fail_msg("%s: event %d behind %zu bytes", stream, outcome.event, outcome.used);
	assert_int_equal(outcome.size, strlen(data));
	assert_memory_equal(outcome.data, data, outcome.size);
}

static void is_bad(const char *stream, size_t length)
{
	read_all(stream, length, &outcome);
	if (outcome.event != CHUNKS_BAD)
		fail_msg("%.*s: event %d", (int)length, stream, outcome.event);
	assert_true(outcome.used < length);
}

static void all_bad(const char *const *table, size_t count)
{
	for (size_t i = 0; i < count; i++)
		is_bad(table[i], strlen(table[i]));
}

static const struct {
	const char *stream;
	const char *data;
} good_bodies[] = {
	{"0\r\n\r\n",							""			       },
	{"000\r\n\r\n",						      ""			       },
	{"5\r\nhello\r\n0\r\n\r\n",					  "hello"                          },
	{"1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n0\r\n\r\n",                       "abcdef"                         },
	{"a\r\n0123456789\r\n0\r\n\r\n",                                     "0123456789"                     },
	{"A\r\n0123456789\r\n0\r\n\r\n",                                     "0123456789"                     },
	{"0a\r\n0123456789\r\n00\r\n\r\n",                                   "0123456789"                     },
	{"1F\r\n0123456789012345678901234567890\r\n0\r\n\r\n",               "0123456789012345678901234567890"},
	{"00000000000000000000000005\r\nhello\r\n0\r\n\r\n",                 "hello"                          },
 /* data that looks like something else */
	{"5\r\n0\r\n\r\n\r\n0\r\n\r\n",                                      "0\r\n\r\n"                      },
	{"1\r\n\n\r\n1\r\n\r\r\n0\r\n\r\n",                                  "\n\r"                           },
	{"3\r\n\x01\x7f\xff\r\n0\r\n\r\n",                                   "\x01\x7f\xff"                   },
 /* extensions */
	{"1;\r\na\r\n0;\r\n\r\n",					    "a"                              },
	{"1;a=b;c=\"d;e\"\r\na\r\n0;x\r\n\r\n",                              "a"                              },
	{"1;\ta \xc3\xa9\r\na\r\n0\r\n\r\n",                                 "a"                              },
	{"1;9\r\na\r\n0;9\r\n\r\n",					  "a"                              },
 /* trailers */
	{"0\r\nX: y\r\n\r\n",						""                               },
	{"1\r\na\r\n0\r\nX:\r\nY: \tz \xff\r\nTransfer-Encoding: a\r\n\r\n", "a"                              },
	{"1;e\r\na\r\n0;e\r\nX: 5;e\r\n\r\n",                                "a"                              },
};

static void test_good_bodies(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(good_bodies); i++)
		is_good(good_bodies[i].stream, good_bodies[i].data);
}

static void test_what_is_behind_the_end_is_left(void **state)
{
	static const char *const tails[] = {"\r\n", "0\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "\n"};
	char stream[300];

	(void)state;
	for (size_t i = 0; i < COUNT(good_bodies); i++) {
		for (size_t j = 0; j < COUNT(tails); j++) {
			snprintf(stream, sizeof(stream), "%s%s", good_bodies[i].stream, tails[j]);
			read_all(stream, strlen(stream), &outcome);
			assert_int_equal(outcome.event, CHUNKS_END);
			assert_int_equal(outcome.used, strlen(good_bodies[i].stream));
		}
	}
}

static void test_a_part_of_a_body_needs_more(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(good_bodies); i++) {
		const char *data = good_bodies[i].data;

		for (size_t length = 1; length < strlen(good_bodies[i].stream); length++) {
			read_all(good_bodies[i].stream, length, &outcome);
			assert_int_equal(outcome.event, CHUNKS_MORE);
			assert_int_equal(outcome.used, length);
			assert_true(outcome.size <= strlen(data));
			assert_memory_equal(outcome.data, data, outcome.size);
		}
	}
}

static void test_a_large_body(void **state)
{
	static char stream[STREAM_BYTES];
	int head = snprintf(stream, sizeof(stream), "fA0\r\n");

	(void)state;
	memset(stream + head, 'x', 0xfa0);
	strcpy(stream + head + 0xfa0, "\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n");
	read_all(stream, strlen(stream), &outcome);
	assert_int_equal(outcome.event, CHUNKS_END);
	assert_int_equal(outcome.size, 0xfa0 + 0x10);
	assert_memory_equal(outcome.data, stream + head, 0xfa0);
	assert_memory_equal(outcome.data + 0xfa0, "0123456789abcdef", 0x10);
}

static void test_sizes_that_are_refused(void **state)
{
	static const char *const table[] = {
		"\r\n",
		"\n",
		";a\r\n",
		" 5\r\nhello\r\n",
		"\t5\r\nhello\r\n",
		"0x\r\n",
		"0x5\r\nhello\r\n",
		"-1\r\n",
		"+5\r\nhello\r\n",
		"g\r\n",
		"5g\r\n",
		"5,\r\nhello\r\n",
		"5.0\r\nhello\r\n",
		"5=a\r\nhello\r\n",
		"\"5\"\r\n",
		"5\x80\r\n",
		"5\x7f\r\n",
		"\xff\r\n",
		/* too large */
		"fffffffffffffff\r\n",
		"7fffffffffffffff\r\n",
		"8000000000000000\r\n",
		"ffffffffffffffff\r\n",
		"10000000000000000\r\n",
		"10000000000000005\r\nhello\r\n",
		"0000000100000000000000005\r\nhello\r\n",
	};

	(void)state;
	all_bad(table, COUNT(table));
	/* Nor behind another chunk. */
	is_bad("1\r\na\r\n\r\n", 8);
	is_bad("1\r\na\r\n-1\r\n", 10);
}

static void test_a_size_that_is_large_waits_for_its_data(void **state)
{
	static const char stream[] = "ffffffffffff\r\nhello";

	(void)state;
	read_all(stream, strlen(stream), &outcome);
	assert_int_equal(outcome.event, CHUNKS_MORE);
	assert_int_equal(outcome.size, 5);
}

/* Another reader may take "1 0" for 16. */
static void test_a_blank_behind_a_size_is_refused(void **state)
{
	static const char *const table[] = {
		"1 0\r\na\r\n0\r\n\r\n",    "1\t0\r\na\r\n0\r\n\r\n", "1 a=b\r\na\r\n0\r\n\r\n",
		"1 ;a=b\r\na\r\n0\r\n\r\n", "1 \r\na\r\n0\r\n\r\n",   "1\r\na\r\n0 5\r\n\r\n",
	};

	(void)state;
	all_bad(table, COUNT(table));
}

static void test_lines_end_with_cr_lf(void **state)
{
	static const char *const table[] = {
		"5\nhello\r\n0\r\n\r\n",
		"5\rhello\r\n0\r\n\r\n",
		"5\r\rhello\r\n0\r\n\r\n",
		"5\rXhello\r\n0\r\n\r\n",
		"5\r\r\nhello\r\n0\r\n\r\n",
		"5;a\nhello\r\n0\r\n\r\n",
		"5;a\rb\r\nhello\r\n0\r\n\r\n",
		"5 \nhello\r\n0\r\n\r\n",
		/* data */
		"5\r\nhello0\r\n\r\n",
		"5\r\nhello\n0\r\n\r\n",
		"5\r\nhello\r0\r\n\r\n",
		"5\r\nhello\rX0\r\n\r\n",
		"5\r\nhelloX\n0\r\n\r\n",
		"5\r\nhello\r\r\n0\r\n\r\n",
		"5\r\nhello!\r\n0\r\n\r\n",
		"4\r\nhello\r\n0\r\n\r\n",
		/* the end */
		"0\n\r\n",
		"0\n\n",
		"0\r\n\n",
		"0\r\n\rX",
		"0\r\n\r\r\n",
		"0\r\nX: y\n\r\n",
		"0\r\nX: y\rZ: w\r\n\r\n",
		"0\r\nX: y\rX\r\n",
		"0\r\nX: y\r\r\n\r\n",
		"0\r\nX: y\r\n\n",
		"0\r\nX: y\r\n\rX",
	};

	(void)state;
	all_bad(table, COUNT(table));
}

static void test_control_characters_are_refused(void **state)
{
	/* One stands in place of the @. */
	static const char *const places[] = {
		"1@\r\na\r\n0\r\n\r\n", "1;@\r\na\r\n0\r\n\r\n",  "1;a@b\r\na\r\n0\r\n\r\n",
		"0;@\r\n\r\n",          "0\r\n@X: y\r\n\r\n",     "0\r\nX@: y\r\n\r\n",
		"0\r\nX: @\r\n\r\n",    "0\r\nX: y\r\n@\r\n\r\n",
	};
	static const char controls[] = {'\0', 0x01, '\b', '\v', '\f', 0x1b, 0x1f, 0x7f};
	char stream[100];

	(void)state;
	for (size_t i = 0; i < COUNT(places); i++) {
		for (size_t j = 0; j < COUNT(controls); j++) {
			strcpy(stream, places[i]);
			*strchr(stream, '@') = controls[j];
			is_bad(stream, strlen(places[i]));
		}
	}
}

/* Many bytes in the middle of a stream. */
static void with_filling(const char *before, size_t count, const char *part, const char *behind)
{
	static char stream[STREAM_BYTES];
	int length = snprintf(stream, sizeof(stream), "%s", before);

	for (size_t i = 0; i < count; i++)
		length += snprintf(stream + length, sizeof(stream) - (size_t)length, "%s", part);
	length += snprintf(stream + length, sizeof(stream) - (size_t)length, "%s", behind);
	assert_true((size_t)length < sizeof(stream));
	read_all(stream, (size_t)length, &outcome);
}

static void test_lines_before_chunks_are_bounded(void **state)
{
	static const struct {
		const char *before;
		const char *part;
		const char *behind;
	} table[] = {
		{"1;",           "x", "\r\na\r\n0\r\n\r\n" },
		{"1\r\na\r\n0;", "x", "\r\n\r\n"           },
		{"",             "0", "1\r\na\r\n0\r\n\r\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		with_filling(table[i].before, CHUNKS_LINE_BYTES - 6, table[i].part,
			     table[i].behind);
		assert_int_equal(outcome.event, CHUNKS_END);
		assert_int_equal(outcome.size, 1);
		with_filling(table[i].before, CHUNKS_LINE_BYTES, table[i].part, table[i].behind);
		assert_int_equal(outcome.event, CHUNKS_BAD);
	}
	/* Each line has the bound of its own. */
	with_filling("", 300, "1;1234567890\r\na\r\n", "0\r\n\r\n");
	assert_int_equal(outcome.event, CHUNKS_END);
	assert_int_equal(outcome.size, 300);
}

static void test_trailers_are_bounded_together(void **state)
{
	static const char field[] = "X: 6789\r\n"; /* 9 bytes */

	(void)state;
	with_filling("0\r\nX: ", CHUNKS_TRAILER_BYTES - 10, "y", "\r\n\r\n");
	assert_int_equal(outcome.event, CHUNKS_END);
	with_filling("0\r\nX: ", CHUNKS_TRAILER_BYTES, "y", "\r\n\r\n");
	assert_int_equal(outcome.event, CHUNKS_BAD);
	with_filling("0\r\n", CHUNKS_TRAILER_BYTES / 9 - 1, field, "\r\n");
	assert_int_equal(outcome.event, CHUNKS_END);
	with_filling("0\r\n", CHUNKS_TRAILER_BYTES / 8 + 1, field, "\r\n");
	assert_int_equal(outcome.event, CHUNKS_BAD);
}

static void test_no_bytes_change_nothing(void **state)
{
	struct chunks c = {0};
	const char *bytes = "";
	const char *data;
	size_t length = 0;
	size_t size;

	(void)state;
	for (int state_of = CHUNKS_IN_SIZE; state_of <= CHUNKS_AT_END; state_of++) {
		c.state = state_of;
		c.left = 5;
		assert_int_equal(chunks_read(&c, &bytes, &length, &data, &size), CHUNKS_MORE);
		assert_int_equal(c.state, state_of);
		assert_int_equal(c.left, 5);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_bodies),
		cmocka_unit_test(test_what_is_behind_the_end_is_left),
		cmocka_unit_test(test_a_part_of_a_body_needs_more),
		cmocka_unit_test(test_a_large_body),
		cmocka_unit_test(test_sizes_that_are_refused),
		cmocka_unit_test(test_a_size_that_is_large_waits_for_its_data),
		cmocka_unit_test(test_a_blank_behind_a_size_is_refused),
		cmocka_unit_test(test_lines_end_with_cr_lf),
		cmocka_unit_test(test_control_characters_are_refused),
		cmocka_unit_test(test_lines_before_chunks_are_bounded),
		cmocka_unit_test(test_trailers_are_bounded_together),
		cmocka_unit_test(test_no_bytes_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
