/*
 * test_buf - caps, and JSON strings made of arbitrary bytes.
 */
#include "unit.h"

#include "base/buf.h"

static void test_empty_buffer_is_an_empty_string(void **state)
{
	auto_buf struct buf b = {0};

	(void)state;
	assert_string_equal(buf_string(&b), "");
	buf_add(&b, "", 0);
	buf_text(&b, "");
	assert_string_equal(buf_string(&b), "");
	assert_int_equal(b.length, 0);
}

static void test_content_is_kept_and_terminated(void **state)
{
	auto_buf struct buf b = {0};

	(void)state;
	for (int i = 0; i < 5000; i++) {
		char c = (char)i;

		buf_add(&b, &c, 1);
		assert_int_equal(b.length, i + 1);
		assert_int_equal(b.data[b.length], 0);
	}
	for (int i = 0; i < 5000; i++)
		assert_int_equal(b.data[i], (char)i);
	assert_false(b.truncated);
	buf_fini(&b);
	assert_int_equal(b.length, 0);
	buf_printf(&b, "%s-%d", "x", 7);
	assert_string_equal(buf_string(&b), "x-7");
}

static void test_cap_drops_the_rest_and_says_so(void **state)
{
	(void)state;
	for (size_t cap = 1; cap < 600; cap += 7) {
		for (size_t step = 1; step < 40; step += 3) {
			auto_buf struct buf b = {.cap = cap};
			char piece[64];
			size_t given = 0;

			memset(piece, 'p', sizeof(piece));
			while (given + step <= cap) {
				buf_add(&b, piece, step);
				given += step;
				assert_false(b.truncated);
				assert_int_equal(b.length, given);
			}
			buf_add(&b, piece, step);
			assert_true(b.truncated);
			assert_int_equal(b.length, cap);
			buf_text(&b, "more");
			assert_int_equal(b.length, cap);
			assert_int_equal(strlen(buf_string(&b)), cap);
		}
	}
}

static void test_cap_exactly_reached_is_not_truncated(void **state)
{
	auto_buf struct buf b = {.cap = 4};

	(void)state;
	buf_text(&b, "four");
	assert_false(b.truncated);
	buf_add(&b, "", 0);
	assert_false(b.truncated);
	buf_text(&b, "x");
	assert_true(b.truncated);
	buf_fini(&b);
	assert_int_equal(b.cap, 4);
	assert_false(b.truncated);
}

static void must_become(const char *bytes, size_t length, const char *json)
{
	auto_buf struct buf b = {0};

	buf_json_string(&b, bytes, length);
	assert_string_equal(buf_string(&b), json);
}

static void test_json_every_ascii_byte(void **state)
{
	(void)state;
	for (int c = 0; c < 0x80; c++) {
		static const char special[] = "\b\t\n\f\r\"\\";
		static const char letter[] = "btnfr\"\\";
		const char *found = c ? strchr(special, c) : NULL;
		char wanted[16];
		char byte = (char)c;

		if (found)
			snprintf(wanted, sizeof(wanted), "\"\\%c\"", letter[found - special]);
		else if (c < 0x20 || c == 0x7f)
			snprintf(wanted, sizeof(wanted), "\"\\u%04x\"", (unsigned)c);
		else
			snprintf(wanted, sizeof(wanted), "\"%c\"", c);
		must_become(&byte, 1, wanted);
	}
}

static size_t encode(uint32_t code, char *out)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* Every code point beyond ASCII, including surrogates and the invalid range above U+10FFFF. */
static void test_json_every_code_point(void **state)
{
	(void)state;
	for (uint32_t code = 0x80; code < 0x110400; code++) {
		char bytes[4];
		char wanted[32];
		size_t length = encode(code, bytes);

		if (code >= 0xd800 && code < 0xe000)
			snprintf(wanted, sizeof(wanted), "\"\\ufffd\\ufffd\\ufffd\"");
		else if (code > 0x10ffff)
			snprintf(wanted, sizeof(wanted), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
		else if (code < 0x10000)
			snprintf(wanted, sizeof(wanted), "\"\\u%04x\"", code);
		else
			snprintf(wanted, sizeof(wanted), "\"\\u%04x\\u%04x\"",
				 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
		must_become(bytes, length, wanted);
	}
}

/*
 * Which second bytes may follow each first byte: table 3-7 of the Unicode standard. Any other byte
 * ends the character and starts a new one.
 */
static void test_json_every_pair_of_bytes(void **state)
{
	static const struct {
		unsigned char first, last, low, high;
		int length;
	} wellformed[] = {
		{0xc2, 0xdf, 0x80, 0xbf, 2},
                {0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3},
                {0xed, 0xed, 0x80, 0x9f, 3},
		{0xee, 0xef, 0x80, 0xbf, 3},
                {0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4},
                {0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	(void)state;
	for (unsigned a = 0x80; a < 0x100; a++) {
		for (unsigned second = 0; second < 0x100; second++) {
			const char bytes[3] = {(char)a, (char)second, '!'};
			auto_buf struct buf b = {0};
			int length =
				0; /* length of the character, if the two bytes can begin one */

			for (size_t i = 0; i < COUNT(wellformed); i++) {
				if (a >= wellformed[i].first && a <= wellformed[i].last &&
				    second >= wellformed[i].low && second <= wellformed[i].high)
					length = wellformed[i].length;
			}
			buf_json_string(&b, bytes, 3);
			if (length == 2) {
				assert_null(strstr(buf_string(&b), "\\ufffd"));
			} else if (length) { /* a valid beginning that is cut short: one replacement
						for both bytes */
				assert_string_equal(buf_string(&b), "\"\\ufffd!\"");
			} else {
				assert_memory_equal(buf_string(&b), "\"\\ufffd", 7);
				assert_string_not_equal(buf_string(&b), "\"\\ufffd!\"");
			}
			assert_int_equal(b.data[b.length - 2], '!');
		}
	}
}

static void test_json_invalid_sequences_as_python_replaces_them(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *json;
	} table[] = {
  /* clang-format off */
		{"a\0b", 3, "\"a\\u0000b\""},
		{"\x80", 1, "\"\\ufffd\""},
		{"\xc0\x80", 2, "\"\\ufffd\\ufffd\""},                      /* NUL, overlong */
		{"\xc1\xbf", 2, "\"\\ufffd\\ufffd\""},
		{"\xe0\x80\xaf", 3, "\"\\ufffd\\ufffd\\ufffd\""},           /* '/', overlong */
		{"\xf0\x80\x80\xaf", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
		{"\xed\xa0\xbd\xed\xb8\x80", 6,                             /* CESU-8 */
		 "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\""},
		{"\xe2\x82", 2, "\"\\ufffd\""},                             /* cut at the end */
		{"\xe2\x82z", 3, "\"\\ufffdz\""},
		{"\xf0\x9f\x98", 3, "\"\\ufffd\""},
		{"\xf0\x9f\x98\xf0\x9f\x98\x80", 7, "\"\\ufffd\\ud83d\\ude00\""},
		{"\xf0\x9f\"", 3, "\"\\ufffd\\\"\""},                       /* must not swallow the quote */
		{"\xe2\\", 2, "\"\\ufffd\\\\\""},
		{"\xf5\x80\x80\x80", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
		{"\xfe\xff", 2, "\"\\ufffd\\ufffd\""},
		{"\xef\xbb\xbfx", 4, "\"\\ufeffx\""},
		{"", 0, "\"\""},
  /* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		must_become(table[i].bytes, table[i].length, table[i].json);
}

static void test_json_output_is_printable_ascii_for_any_bytes(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		auto_buf struct buf b = {0};
		char bytes[64];

		for (size_t i = 0; i < sizeof(bytes); i++) {
			random = random * 1664525 + 1013904223;
			bytes[i] = (char)(random >> 24);
		}
		buf_json_string(&b, bytes, sizeof(bytes));
		for (size_t i = 0; i < b.length; i++)
			assert_in_range((unsigned char)b.data[i], 0x20, 0x7e);
	}
}

static void test_what_is_taken_is_ours_and_the_buffer_starts_anew(void **state)
{
	struct buf b = {.cap = 3};
	char *text;

	(void)state;
	buf_text(&b, "ab");
	text = buf_take(&b);
	assert_string_equal(text, "ab");
	free(text);
	assert_int_equal(b.length, 0);
	buf_text(&b, "cdef");
	assert_string_equal(buf_string(&b), "cde");
	buf_fini(&b);
	text = buf_take(&b);
	assert_string_equal(text, "");
	free(text);
}

static void test_cut_keeps_the_beginning(void **state)
{
	auto_buf struct buf b = {0};

	(void)state;
	buf_cut(&b, 0);
	assert_string_equal(buf_string(&b), "");
	buf_text(&b, "abc");
	buf_cut(&b, 4);
	assert_string_equal(buf_string(&b), "abc");
	buf_cut(&b, 1);
	assert_string_equal(buf_string(&b), "a");
	assert_int_equal(b.length, 1);
}

static void test_bytes_become_utf8_without_nul(void **state)
{
	auto_buf struct buf b = {0};

	(void)state;
	buf_utf8(&b, "", 0);
	assert_int_equal(b.length, 0);
	buf_utf8(&b, "\xc3\xa9x", 3);
	buf_utf8(&b, "a\0b\xff\xe2\x82", 6);
	buf_utf8(&b, "\xef\xbf\xbd", 3);
	assert_string_equal(buf_string(&b),
			    "\xc3\xa9xa\xef\xbf\xbd"
			    "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_json_text_null_is_null(void **state)
{
	auto_buf struct buf b = {0};

	(void)state;
	buf_json_text(&b, NULL);
	buf_json_text(&b, "");
	buf_json_text(&b, "\xc3\xa9");
	assert_string_equal(buf_string(&b), "null\"\"\"\\u00e9\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_buffer_is_an_empty_string),
		cmocka_unit_test(test_content_is_kept_and_terminated),
		cmocka_unit_test(test_cap_drops_the_rest_and_says_so),
		cmocka_unit_test(test_cap_exactly_reached_is_not_truncated),
		cmocka_unit_test(test_what_is_taken_is_ours_and_the_buffer_starts_anew),
		cmocka_unit_test(test_cut_keeps_the_beginning),
		cmocka_unit_test(test_json_every_ascii_byte),
		cmocka_unit_test(test_json_every_code_point),
		cmocka_unit_test(test_json_every_pair_of_bytes),
		cmocka_unit_test(test_json_invalid_sequences_as_python_replaces_them),
		cmocka_unit_test(test_json_output_is_printable_ascii_for_any_bytes),
		cmocka_unit_test(test_bytes_become_utf8_without_nul),
		cmocka_unit_test(test_json_text_null_is_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
