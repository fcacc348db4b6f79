/*
 * test_json - documents that are refused, and typed access to valid ones.
 */
#include "unit.h"

#include <math.h>

#include "base/json.h"
#include "base/json_escape.h"
#include "base/json_strict.h"

static struct err e;

static struct json *parse(const char *text)
{
	e = (struct err){0};
	return json_parse(text, strlen(text), &e);
}

static void test_broken_documents_are_refused(void **state)
{
	static const char *const table[] = {
		"",     " ",          "{",         "}",
		"[1,]", "{\"a\":}",   "{a:1}",     "tru",
		"nul",  "\"abc",      "[1 2]",     "{} {}",
		"{}x",  "1 2",        "[\"\\x\"]", "[\"\\ud800\"]",
		"'a'",  "{\"a\" 1}",  "[1}",       "//c\n{}",
		"-",    "{\"a\":1,}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		auto_json struct json *document = parse(table[i]);

		if (document)
			fail_msg("accepted: %s", table[i]);
		assert_int_equal(e.kind, ERR_INPUT);
		assert_true(message_is(e.text, "@json_parse#valid"));
	}
}

static void test_white_space_around_a_document_is_ignored(void **state)
{
	auto_json struct json *document = parse(" \t\r\n{ \"a\" : [ ] } \t\r\n");

	(void)state;
	assert_non_null(document);
	assert_true(json_is_array(json_get(document, "a")));
}

static void test_the_line_of_a_mistake_is_told(void **state)
{
	(void)state;
	assert_null(parse("{\n\"a\": 1,\n\"b\": nope\n}"));
	assert_true(message_is(e.text, "@json_parse#valid 3"));
	assert_null(parse("{}\n\nx"));
	assert_true(message_is(e.text, "@json_parse#valid 3"));
}

static void test_the_length_bounds_the_document(void **state)
{
	struct json *document = json_parse("[1]trailing", 3, &e);

	(void)state;
	assert_non_null(document);
	json_free(document);
	assert_null(json_parse("[1]", 2, &e));
	json_free(NULL);
}

static void test_nul_is_refused_raw_and_escaped(void **state)
{
	(void)state;
	assert_null(json_parse("\"a\0b\"", 5, &e));
	assert_non_null(strstr(e.text, "NUL"));
	assert_null(json_parse("{}\0", 3, &e));
	assert_non_null(strstr(e.text, "NUL"));
	assert_null(parse("\"a\\u0000b\""));
	assert_non_null(strstr(e.text, "NUL"));
}

static void test_an_escaped_backslash_is_no_nul(void **state)
{
	static const char *const good[] = {"\"\\\\u0000\"", "\"\\\\\\\\u0000\"",
					   "\"\\\\\\n\\\\u0000\""};
	static const char *const bad[] = {"\"\\\\\\u0000\"", "\"\\u0000\"", "\"a\\n\\u0000\"",
					  "[\"\\\\\",\"\\u0000\"]"};
	auto_json struct json *document = parse(good[0]);

	(void)state;
	assert_string_equal(json_string(document), "\\u0000");
	for (size_t i = 0; i < 3; i++)
		json_free(parse(good[i]));
	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_null(parse(bad[i]));
		assert_non_null(strstr(e.text, "NUL"));
	}
}

static void test_repair_writes_over_what_is_refused(void **state)
{
	static const struct {
		const char *before;
		const char *after;
	} table[] = {
		{"",			  ""			 },
		{"\"plain\"",                 "\"plain\""                },
		{"\"\\u0000\"",               "\"\\ufffd\""              },
		{"\"\\\\u0000\"",             "\"\\\\u0000\""            },
		{"\"\\\\\\u0000\"",           "\"\\\\\\ufffd\""          },
		{"\"\\ud83d\\ude00\"",        "\"\\ud83d\\ude00\""       },
		{"\"\\ud83d\"",               "\"\\ufffd\""              },
		{"\"\\uD83Dx\\uDE00\"",       "\"\\ufffdx\\ufffd\""      },
		{"\"\\ude00\\ud83d\"",        "\"\\ufffd\\ufffd\""       },
		{"\"\\ud83d\\ud83d\\ude00\"", "\"\\ufffd\\ud83d\\ude00\""},
		{"\"\\ud83d\\u0000\"",        "\"\\ufffd\\ufffd\""       },
		{"\"\\u12\"",                 "\"\\u12\""                },
		{"\"\\ud83d\\u\"",            "\"\\ufffd\\u\""           },
		{"\\",			"\\"                       },
		{"\\u000",                    "\\u000"                   },
		{"\\u0000",                   "\\ufffd"                  },
		{"\\u+000",                   "\\u+000"                  },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		size_t length = strlen(table[i].before);
		char *text = malloc(length + 1); /* exactly as large as the text, so that ASan sees
						    any access beyond it */
		char *exact = malloc(length ? length : 1);

		assert_non_null(text);
		assert_non_null(exact);
		memcpy(text, table[i].before, length + 1);
		memcpy(exact, table[i].before, length);
		json_repair(text, length);
		json_repair(exact, length);
		assert_string_equal(text, table[i].after);
		assert_memory_equal(exact, text, length);
		free(exact);
		free(text);
	}
}

static void test_values_are_written_as_they_were(void **state)
{
	static const struct {
		const char *before;
		const char *after;
	} table[] = {
		{"null",				  "null"                             },
		{" true ",				"true"                             },
		{"false",				 "false"                            },
		{"[ ]",				   "[]"			       },
		{"{ }",				   "{}"			       },
		{"[1, 2.5, -3, 1e3]",                     "[1,2.5,-3,1000]"                  },
		{"[0.1, 1e300, 9007199254740991]",        "[0.1,1e+300,9007199254740991]"    },
		{"{\"b\": {\"a\": [null]}, \"a\": \"\"}", "{\"b\":{\"a\":[null]},\"a\":\"\"}"},
		{"\"\\u00e9\\n\\\"\xc3\xa9\"",            "\"\\u00e9\\n\\\"\\u00e9\""        },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		auto_json struct json *document = parse(table[i].before);
		struct buf out = {0};

		assert_non_null(document);
		json_write(document, &out);
		assert_string_equal(buf_string(&out), table[i].after);
		buf_fini(&out);
	}
}

static void test_numbers_have_a_point_in_every_locale(void **state)
{
	static const char *const wanted[] = {"0.2", "1", "0.333333333333333", "0", "0"};
	const double values[] = {0.2, 1, 0.333333333333333, (double)INFINITY, (double)NAN};

	(void)state;
	for (size_t i = 0; i < COUNT(wanted); i++) {
		struct buf out = {0};

		json_write_number(values[i], &out);
		assert_string_equal(buf_string(&out), wanted[i]);
		buf_fini(&out);
	}
}

static void test_lenient_getters_take_the_wrong_type_as_missing(void **state)
{
	auto_json struct json *document = parse("{\"s\":\"x\",\"n\":7,\"minus\":-1,\"z\":null}");

	(void)state;
	assert_string_equal(json_string_at(document, "s"), "x");
	assert_null(json_string_at(document, "n"));
	assert_null(json_string_at(document, "z"));
	assert_null(json_string_at(document, "missing"));
	assert_null(json_string_at(NULL, "s"));
	assert_int_equal(json_uint_at(document, "n", 5), 7);
	assert_int_equal(json_uint_at(document, "s", 5), 5);
	assert_int_equal(json_uint_at(document, "minus", 5), 5);
	assert_int_equal(json_uint_at(document, "missing", 5), 5);
	assert_int_equal(json_uint_at(NULL, "n", 5), 5);
}

/* Returns a 1 within `depth` brackets; with `mixed`, every other one is an object. */
static char *nested(int depth, int mixed)
{
	char *text = calloc(1, (size_t)depth * 7 + 2);

	assert_non_null(text);
	for (int i = 0; i < depth; i++)
		strcat(text, mixed && i % 2 ? "{\"k\":" : "[");
	strcat(text, "1");
	for (int i = depth - 1; i >= 0; i--)
		strcat(text, mixed && i % 2 ? "}" : "]");
	return text;
}

static void test_nesting_up_to_64_levels(void **state)
{
	(void)state;
	for (int mixed = 0; mixed < 2; mixed++) {
		for (int depth = 1; depth < 70; depth++) {
			char *text = nested(depth, mixed);
			struct json *document = parse(text);

			assert_int_equal(document != NULL, depth <= 64);
			if (!document)
				assert_true(message_is(e.text, "@json_parse#nested 64"));
			json_free(document);
			free(text);
		}
	}
}

static void test_a_million_brackets_do_not_recurse(void **state)
{
	size_t length = 1000000;
	char *text = malloc(length);

	(void)state;
	assert_non_null(text);
	memset(text, '[', length);
	assert_null(json_parse(text, length, &e));
	assert_non_null(strstr(e.text, "deeper"));
	free(text);
}

static void test_brackets_in_strings_do_not_nest(void **state)
{
	static char text[4096] = "[\"\\\"";
	struct json *document;

	(void)state;
	memset(text + 4, '[', 1000);
	strcpy(text + 1004, "\\\\\",1]");
	document = parse(text);
	assert_non_null(document);
	assert_int_equal(json_count(document), 2);
	json_free(document);
}

static void test_members_and_order(void **state)
{
	static const char *const keys[] = {"b", "a", "c"};
	auto_json struct json *document = parse("{\"b\":1,\"a\":[true,null],\"c\":\"x\"}");
	size_t i = 0;

	(void)state;
	assert_true(json_is_object(document));
	assert_false(json_is_array(document));
	assert_int_equal(json_count(document), 3);
	for (const struct json *n = json_first(document); n; n = json_next(n))
		assert_string_equal(json_key(n), keys[i++]);
	assert_int_equal(i, 3);
	assert_int_equal(json_count(json_get(document, "a")), 2);
	assert_null(json_key(json_first(json_get(document, "a"))));
	assert_true(json_is_true(json_first(json_get(document, "a"))));
	assert_string_equal(json_string(json_get(document, "c")), "x");
	assert_null(json_string(json_get(document, "b")));
	assert_int_equal(json_count(json_get(document, "c")), 0);
	assert_null(json_first(json_get(document, "c")));
	assert_null(json_first(NULL));
}

static void test_missing_null_and_other_case_are_absent(void **state)
{
	auto_json struct json *document = parse("{\"a\":null,\"B\":1}");
	auto_json struct json *list = parse("[1,2]");

	(void)state;
	assert_null(json_get(document, "a"));
	assert_null(json_get(document, "b"));
	assert_null(json_get(document, ""));
	assert_null(json_get(list, "a"));
	assert_null(json_get(NULL, "a"));
}

static void test_numbers_are_whole_and_exact(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{"0",                0               },
		{"-0",               0               },
		{"1e3",              1000            },
		{"12.0",             12              },
		{"9007199254740992", 9007199254740992},
		{"4294967296",       4294967296      },
	};
	static const char *const bad[] = {
		"-1",
		"0.5",
		"1e300",
		"1e999",
		"-1e999",
		"9007199254740994",
		"true",
		"\"1\"",
		"[1]",
		"{}",
		"18446744073709551616",
		"1e-3",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		auto_json struct json *document = parse(good[i].text);
		uint64_t out = 99;

		assert_int_equal(json_number(document, &out), 0);
		assert_int_equal(out, good[i].value);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		auto_json struct json *document = parse(bad[i]);
		uint64_t out = 99;

		assert_non_null(document);
		assert_int_equal(json_number(document, &out), -1);
		assert_int_equal(out, 99);
	}
}

static void test_getters_take_their_type_alone(void **state)
{
	static const char *const values[] = {"\"s\"", "true", "7", "[]", "{}"};

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) {
		const char *text = "untouched";
		const struct json *list = NULL;
		uint64_t number = 99;
		char source[64];
		struct json *document;

		snprintf(source, sizeof(source), "{\"the key\":%s}", values[i]);
		document = parse(source);
		assert_non_null(document);
		assert_int_equal(json_get_string(document, "the key", &text, &e), i == 0 ? 0 : -1);
		assert_string_equal(text, i == 0 ? "s" : "untouched");
		assert_int_equal(json_get_uint(document, "the key", &number, &e), i == 2 ? 0 : -1);
		assert_int_equal(number, i == 2 ? 7 : 99);
		assert_int_equal(json_get_array(document, "the key", &list, &e), i == 3 ? 0 : -1);
		assert_int_equal(list != NULL, i == 3);
		json_free(document);
	}
}

static void test_getter_errors_name_the_key(void **state)
{
	auto_json struct json *document = parse("{\"k\":{}}");
	const struct json *list;
	const char *text;
	uint64_t number;

	(void)state;
	refuses(json_get_string(document, "k", &text, &e), "string", ERR_INPUT,
		"@json_get_string \"k\"");
	refuses(json_get_uint(document, "k", &number, &e), "uint", ERR_INPUT,
		"@json_get_uint \"k\"");
	refuses(json_get_array(document, "k", &list, &e), "array", ERR_INPUT,
		"@json_get_array \"k\"");
}

static void test_missing_key_leaves_the_output_alone(void **state)
{
	auto_json struct json *document = parse("{\"null\":null}");
	static const char *const keys[] = {"null", "missing"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct json *list = document;
		const char *text = "default";
		uint64_t number = 42;

		accepts(json_get_string(document, keys[i], &text, &e), keys[i]);
		accepts(json_get_uint(document, keys[i], &number, &e), keys[i]);
		accepts(json_get_array(document, keys[i], &list, &e), keys[i]);
		assert_string_equal(text, "default");
		assert_int_equal(number, 42);
		assert_ptr_equal(list, document);
	}
}

static void test_strings_are_decoded(void **state)
{
	auto_json struct json *document = parse("\"\\u00e9\\ud83d\\ude00\\n\\/\\\"\xc3\xa9\"");

	(void)state;
	assert_string_equal(json_string(document), "\xc3\xa9\xf0\x9f\x98\x80\n/\"\xc3\xa9");
}

/* The tree in place is that of a copy, and its strings lie in the text. */
static void test_a_document_is_read_in_place(void **state)
{
	static const struct {
		const char *text;
		const char *written;
	} rows[] = {
		{"7",					"7"				 },
		{" \"a\" ",				  "\"a\""                             },
		{"[]",				       "[]"				},
		{"{ }",				      "{}"				},
		{"[ true, false ,null,-1.5e3]",              "[true,false,null,-1500]"           },
		{"{\"a\" : {\"b\":[{}, [ [] ]]} , \"a\":1}", "{\"a\":{\"b\":[{},[[]]]},\"a\":1}" },
		{"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",           "\"\\\"\\\\/\\b\\f\\n\\r\\t\""      },
		{"\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00.\"", "\"A\\u00e9\\u20ac\\ud83d\\ude00.\""},
		{"{\"k\\u0065y\\\\\":\"\"}",                 "{\"key\\\\\":\"\"}"                },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_buf struct buf text = {0};
		auto_buf struct buf written = {0};
		auto_json struct json *document = NULL;

		assert_int_equal(json_check_strict(rows[i].text, strlen(rows[i].text), 100, &e), 0);
		buf_text(&text, rows[i].text);
		document = json_parse_in_place(text.data, text.length);
		json_write(document, &written);
		assert_string_equal(buf_string(&written), rows[i].written);
		if (json_string(document))
			assert_in_range(json_string(document) - text.data, 1, text.length);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_broken_documents_are_refused),
		cmocka_unit_test(test_white_space_around_a_document_is_ignored),
		cmocka_unit_test(test_the_line_of_a_mistake_is_told),
		cmocka_unit_test(test_the_length_bounds_the_document),
		cmocka_unit_test(test_nul_is_refused_raw_and_escaped),
		cmocka_unit_test(test_an_escaped_backslash_is_no_nul),
		cmocka_unit_test(test_repair_writes_over_what_is_refused),
		cmocka_unit_test(test_values_are_written_as_they_were),
		cmocka_unit_test(test_numbers_have_a_point_in_every_locale),
		cmocka_unit_test(test_lenient_getters_take_the_wrong_type_as_missing),
		cmocka_unit_test(test_nesting_up_to_64_levels),
		cmocka_unit_test(test_a_million_brackets_do_not_recurse),
		cmocka_unit_test(test_brackets_in_strings_do_not_nest),
		cmocka_unit_test(test_a_document_is_read_in_place),
		cmocka_unit_test(test_members_and_order),
		cmocka_unit_test(test_missing_null_and_other_case_are_absent),
		cmocka_unit_test(test_numbers_are_whole_and_exact),
		cmocka_unit_test(test_getters_take_their_type_alone),
		cmocka_unit_test(test_getter_errors_name_the_key),
		cmocka_unit_test(test_missing_key_leaves_the_output_alone),
		cmocka_unit_test(test_strings_are_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
