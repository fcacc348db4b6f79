/*
 * test_display_marks - marks are taken out of a stream at every cut; what is none stays.
 */
#include "unit.h"

#include "session/display_marks.h"

#define NUMBER 0x00c0ffee
#define MARK   DISPLAY_MARK "00c0ffee"

/* A stream that is cut once, and what became of it. */
struct run {
	struct buf text;
	struct display_places places;
	struct sink sink;
	struct display_marks marks;
	struct sink in;
};

static void run_begin(struct run *r, uint64_t most)
{
	*r = (struct run){0};
	r->places.text = &r->text;
	r->sink = (struct sink){
		.fd = -1, .buffer = &r->text, .display = display_places_add, .context = &r->places};
	r->in = display_marks_begin(&r->marks, NUMBER, most, &r->sink);
}

static void run_take(struct run *r, const char *bytes, size_t length)
{
	r->in.take(r->in.context, bytes, length);
}

static const struct row {
	const char *in;
	const char *out;
	size_t count;
	size_t at[4];
} rows[] = {
	{"",				    "",			 0, {0}      },
	{"plain\n",			     "plain\n",                  0, {0}      },
	{MARK,				  "",			 1, {0}      },
	{"one" MARK "two" MARK "three",         "onetwothree",              2, {3, 6}   },
	{MARK MARK "x" MARK,                    "x",                        3, {0, 0, 1}},
	{"\x1e",				"\x1e",                     0, {0}      },
	{"\x1e\x1e" MARK "\x1e",                "\x1e\x1e\x1e",             1, {2}      },
	{DISPLAY_MARK "00c0ffe" MARK,           DISPLAY_MARK "00c0ffe",     1, {16}     },
	{DISPLAY_MARK "00c0ffef",               DISPLAY_MARK "00c0ffef",    0, {0}      },
	{DISPLAY_MARK DISPLAY_MARK "00c0ffee!", DISPLAY_MARK "!",           1, {9}      },
	{"cut " DISPLAY_MARK "00c0",            "cut " DISPLAY_MARK "00c0", 0, {0}      },
};

static void check_row(const struct row *row, size_t cut)
{
	const size_t length = strlen(row->in);
	struct run r;

	run_begin(&r, UINT64_MAX);
	run_take(&r, row->in, cut);
	run_take(&r, row->in + cut, length - cut);
	display_marks_end(&r.marks);
	assert_string_equal(buf_string(&r.text), row->out);
	assert_int_equal(r.places.count, row->count);
	for (size_t i = 0; i < row->count; i++)
		assert_int_equal(display_places_at(&r.places, i), row->at[i]);
	buf_fini(&r.text);
}

static void test_every_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t cut = 0; cut <= strlen(rows[i].in); cut++)
			check_row(&rows[i], cut);
	}
}

static void test_byte_by_byte(void **state)
{
	static const char in[] = "a" MARK "b" DISPLAY_MARK "0" MARK;
	struct run r;

	(void)state;
	run_begin(&r, UINT64_MAX);
	for (size_t i = 0; i < sizeof(in) - 1; i++)
		run_take(&r, in + i, 1);
	assert_string_equal(buf_string(&r.text), "ab" DISPLAY_MARK "0");
	assert_int_equal(r.places.count, 2);
	buf_fini(&r.text);
}

/* Foreign code writes more marks than there can be displays: the rest is text. */
static void test_too_many(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, UINT64_MAX);
	for (int i = 0; i < DISPLAYS_MAX + 2; i++)
		run_take(&r, MARK, DISPLAY_MARK_BYTES);
	assert_int_equal(r.places.count, DISPLAYS_MAX);
	assert_string_equal(buf_string(&r.text), MARK MARK);
	buf_fini(&r.text);
}

static void test_all(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, UINT64_MAX);
	r.sink.all_displays = true;
	for (int i = 0; i < DISPLAYS_MAX + 2; i++)
		run_take(&r, MARK, DISPLAY_MARK_BYTES);
	assert_int_equal(r.marks.count, DISPLAYS_MAX + 2);
	assert_string_equal(buf_string(&r.text), "");
	buf_fini(&r.text);
}

/* The limit counts what is printed, not the marks; a mark is never cut. */
static void test_limit(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 3);
	run_take(&r, "one" MARK, 3 + DISPLAY_MARK_BYTES);
	assert_false(r.marks.truncated);
	run_take(&r, "x" MARK, 1 + DISPLAY_MARK_BYTES);
	assert_true(r.marks.truncated);
	assert_string_equal(buf_string(&r.text), "one");
	assert_int_equal(r.places.count, 2);
	buf_fini(&r.text);
}

struct pieces {
	size_t count;
	size_t bytes;
};

static void count_piece(void *context, const char *bytes, size_t length)
{
	struct pieces *p = context;

	(void)bytes;
	p->count++;
	p->bytes += length;
}

static void ignore_display(void *context)
{
	(void)context;
}

/* A stream of bytes that may begin a mark goes on in one piece: each may be an event. */
static void test_pieces(void **state)
{
	struct pieces pieces = {0};
	const struct sink to = {
		.fd = -1, .take = count_piece, .display = ignore_display, .context = &pieces};
	struct display_marks marks = {0};
	struct sink in = display_marks_begin(&marks, NUMBER, UINT64_MAX, &to);
	char bytes[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i % 2 ? 'd' : '\x1e';
	in.take(in.context, bytes, sizeof(bytes));
	display_marks_end(&marks);
	assert_int_equal(pieces.bytes, sizeof(bytes));
	assert_in_range(pieces.count, 1, 2);
}

/* Places are counted in characters, as a reader of the JSON counts them; a cut text has them at its
 * end. */
static void test_characters(void **state)
{
	struct buf json = {0};
	struct run r;

	(void)state;
	run_begin(&r, UINT64_MAX);
	run_take(&r, "\xc3\xa4", 2);
	display_places_add(&r.places);
	run_take(&r, "\xf0\x9f\x98\x80\xff", 5);
	display_places_add(&r.places);
	run_take(&r, "end", 3);
	display_places_add(&r.places);
	display_places_put(&r.places, &json);
	assert_string_equal(buf_string(&json), "\"displays_at\":[1,3,6]");
	buf_cut(&json, 0);
	buf_cut(&r.text, 2);
	display_places_put(&r.places, &json);
	assert_string_equal(buf_string(&json), "\"displays_at\":[1,1,1]");
	assert_int_equal(display_places_at(&r.places, 7), 2);
	buf_fini(&json);
	buf_fini(&r.text);
}

/* A piece ends with a line, so that what is displayed begins one. */
static void test_copy(void **state)
{
	struct buf out = {0};
	struct run r;
	size_t from;

	(void)state;
	run_begin(&r, UINT64_MAX);
	run_take(&r, "a" MARK "b\n" MARK, 3 + 2 * DISPLAY_MARK_BYTES);
	from = display_places_copy(&r.places, 0, 0, &out);
	assert_int_equal(from, 1);
	assert_string_equal(buf_string(&out), "a\n");
	assert_int_equal(display_places_copy(&r.places, from, 1, &out), 3);
	assert_string_equal(buf_string(&out), "a\nb\n");
	buf_fini(&out);
	buf_fini(&r.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_cut),  cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_too_many),   cmocka_unit_test(test_all),
		cmocka_unit_test(test_limit),      cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_characters), cmocka_unit_test(test_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
