/*
 * test_say - hostile text within our own lines, and hostile JSON.
 */
#include "unit.h"

#include <sys/mman.h>

#include "base/io.h"
#include "base/json.h"
#include "base/own.h"
#include "base/say.h"

/* Returns what a call has printed; free it. */
static char *printed(void (*call)(FILE *to, const char *text), const char *text)
{
	char *out = NULL;
	size_t size;
	FILE *to = open_memstream(&out, &size);

	call(to, text);
	fclose(to);
	return out;
}

static void as_bytes(FILE *to, const char *text)
{
	say_bytes(to, text, strlen(text));
}

static void as_column(FILE *to, const char *text)
{
	say_column(to, 6, text);
}

static void test_texts(void **state)
{
	static const struct {
		void (*call)(FILE *to, const char *text);
		const char *in;
		const char *out;
	} rows[] = {
		{say_line,  "plain %s",           "plain %s"        },
		{say_line,  "",                   ""                },
		{say_line,  "a\nb\x9b\xc2\x9b",   "a\\nb\\x9b\\x9b" },
		{as_bytes,  "\xe2\x80\xaegpj.py", "\\u202egpj.py"   },
		{as_column, "abc",                "abc   "          },
		{as_column, "\033",               "\\x1b  "         },
		{as_column, "longer than six",    "longer than six" },
		{say_lines, "a\n\tb\n\033[2J",    "a\n\tb\n\\x1b[2J"},
		{say_lines, "\xe2\x80\x8f",       "\xe2\x80\x8f"    },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_free char *out = printed(rows[i].call, rows[i].in);

		assert_string_equal(out, rows[i].out);
	}
}

/* Returns a JSON text as say_json() writes it; free it. */
static char *written(const struct buf *json)
{
	int dir = unit_enter();
	auto_fd int fd = openat(dir, "out", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct buf text = {0};
	struct err e;

	assert_int_equal(say_json(fd, json), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(io_read_fd(fd, "out", 1u << 24, &text, &e), 0);
	unit_leave(dir);
	return buf_take(&text);
}

static void test_json_is_ascii_and_one_line(void **state)
{
	static const struct {
		const char *in;
		const char *out;
	} rows[] = {
		{"",			      ""			  },
		{"{\"a\": [1, \"b\\n\"]}",        "{\"a\": [1, \"b\\n\"]}"    },
		{"{\n\t\"a\":\r1}",               "{  \"a\": 1}"              },
		{"\"\xc2\x9b\xe2\x80\xae\x7f\"",  "\"\\u009b\\u202e\\u007f\"" },
		{"\"\xf0\x9f\x98\x80 \xc3\xa9\"", "\"\\ud83d\\ude00 \\u00e9\""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf in = {.data = (char *)(uintptr_t)rows[i].in,
				 .length = strlen(rows[i].in)};
		auto_free char *out = written(&in);

		assert_string_equal(out, rows[i].out);
	}
}

/* The values are the same wherever the blocks are cut. */
static void test_large_json_keeps_its_value(void **state)
{
	auto_buf struct buf in = {0};
	auto_json struct json *document = NULL;
	auto_free char *out = NULL;
	struct err e;

	(void)state;
	buf_text(&in, "\"");
	for (int i = 0; i < 70000; i++)
		buf_text(&in, i % 7 ? "\xe2\x82\xac" : "a\xf0\x9f\x98\x80");
	buf_text(&in, "\"");
	out = written(&in);
	for (const char *p = out; *p; p++)
		assert_in_range(*p, ' ', '~');
	document = json_parse(out, strlen(out), &e);
	assert_non_null(document);
	assert_int_equal(strlen(json_string(document)), in.length - 2);
	assert_memory_equal(json_string(document), in.data + 1, in.length - 2);
}

/* The same as from one piece, wherever the blocks are cut. */
static void test_large_strings_are_quoted_in_blocks(void **state)
{
	auto_buf struct buf in = {0};
	auto_buf struct buf wanted = {0};
	auto_buf struct buf out = {0};
	auto_fd int fd = memfd_create("out", MFD_CLOEXEC);
	struct err e;

	(void)state;
	for (int i = 0; i < 70000; i++)
		buf_text(&in, i % 7 ? "\xe2\x82\xac" : "\xf0\x9f\x98\x80\r\n\"\xff");
	buf_json_string(&wanted, in.data, in.length);
	assert_int_equal(say_json_string(fd, in.data, in.length), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(io_read_fd(fd, "out", 1u << 24, &out, &e), 0);
	assert_string_equal(buf_string(&out), buf_string(&wanted));
}

static void heard(const char *text, const char *wanted)
{
	int length;
	const char *said = say_heard(text, &length);

	assert_int_equal(length, strlen(wanted));
	assert_memory_equal(said, wanted, length);
}

static void test_what_a_program_has_said(void **state)
{
	(void)state;
	heard("glovebox: no image\nand a hint\n", "no image");
	heard("glovebox: no image", "no image");
	heard("Traceback", "Traceback");
	heard("\nglovebox: late", "");
	heard("", "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_json_is_ascii_and_one_line),
		cmocka_unit_test(test_large_json_keeps_its_value),
		cmocka_unit_test(test_large_strings_are_quoted_in_blocks),
		cmocka_unit_test(test_what_a_program_has_said),
	};

	return cmocka_run_group_tests_name("say", tests, NULL, NULL);
}
