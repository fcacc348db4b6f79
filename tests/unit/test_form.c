/*
 * test_form - what a form accepts and refuses, and that errors say where.
 */
#include "forms.h"

#include "base/json.h"
#include "message_list.h"

struct item {
	const char *name;
	uint64_t number;
	bool flag;
};

struct sample {
	uint64_t first;
	const char *text;
	bool flag;
	uint64_t any;
	struct form_list items;
	struct form_list few; /* the document holds nothing else */
	const char *may_text;
	uint64_t may_number;
	bool may_flag;
	struct form_list may_list;
};

#define END                                                                                        \
	{                                                                                          \
		NULL, FIELD_FLAG, 0, 0, false, NULL                                                \
	}

/* clang-format off */
static const struct form item_form = {
	(const struct field[]){
		{"name", FIELD_TEXT, offsetof(struct item, name), 8, false, NULL},
		{"number", FIELD_NUMBER, offsetof(struct item, number), UINT64_MAX, false, NULL},
		{"flag", FIELD_FLAG, offsetof(struct item, flag), 0, false, NULL},
		END
	},
	sizeof(struct item)};

static const struct form sample_form = {
	(const struct field[]){
		{"first", FIELD_NUMBER, offsetof(struct sample, first), 10, false, NULL},
		{"text", FIELD_TEXT, offsetof(struct sample, text), 16, false, NULL},
		{"flag", FIELD_FLAG, offsetof(struct sample, flag), 0, false, NULL},
		{"any", FIELD_NUMBER, offsetof(struct sample, any), UINT64_MAX, false, NULL},
		{"items", FIELD_LIST, offsetof(struct sample, items), 5, false, &item_form},
		{"few", FIELD_LIST, offsetof(struct sample, few), 1, false, &item_form},
		{"may_text", FIELD_TEXT, offsetof(struct sample, may_text), 4, true, NULL},
		{"may_number", FIELD_NUMBER, offsetof(struct sample, may_number), 4, true, NULL},
		{"may_flag", FIELD_FLAG, offsetof(struct sample, may_flag), 0, true, NULL},
		{"may_list", FIELD_LIST, offsetof(struct sample, may_list), 2, true, &item_form},
		END
	},
	sizeof(struct sample)};
/* clang-format on */

static struct err e;

/* Read into a struct that was filled with other bytes. */
static int read_text(const char *text, const char *but, struct sample *out, struct json **document)
{
	int bad;

	memset(out, 0xa5, sizeof(*out));
	*document = json_parse(text, strlen(text), &e);
	assert_non_null(*document);
	e = (struct err){0};
	bad = form_read(&sample_form, *document, but, out, &e);
	assert_int_equal(bad ? ERR_INPUT : ERR_NONE, e.kind);
	return bad;
}

static void must_refuse(const char *text, const char *why)
{
	struct sample sample;
	struct json *document;

	if (!read_text(text, NULL, &sample, &document))
		fail_msg("taken: %s", text);
	form_fini(&sample_form, &sample);
	json_free(document);
	if (!message_is(e.text, why))
		fail_msg("%s: \"%s\", not \"%s\"", text, e.text, why);
}

static void must_take(const char *text)
{
	struct sample sample;
	struct json *document;

	if (read_text(text, NULL, &sample, &document))
		fail_msg("refused: %s: %s", text, e.text);
	form_fini(&sample_form, &sample);
	json_free(document);
}

static void refuse_change(const struct form *form, const struct field *f, const char *value,
			  const char *more, const char *why)
{
	const struct change change = {form, f, value, more};
	auto_buf struct buf text = {0};

	forms_object(&sample_form, &change, &text);
	must_refuse(text.data, why);
}

/* Test one object: the whole sample, or an item, whose path ends `prefix`. */
static void refuse_in(const struct form *form, const char *prefix)
{
	char why[200];

	for (const struct field *f = form->fields; f->key; f++) {
		auto_buf struct buf beyond = {0};
		auto_buf struct buf twice = {0};

		for (const struct forms_bad *bad = forms_wrong_types(f); bad->why; bad++) {
			if (f->optional && !strcmp(bad->why, "form_read_field#missing"))
				continue;
			snprintf(why, sizeof(why), "@%s \"%s%s\"", bad->why, prefix, f->key);
			refuse_change(form, f, bad->value, NULL, why);
		}
		snprintf(why, sizeof(why), "@%s \"%s%s\"",
			 f->kind == FIELD_NUMBER ? "form_read_number#large"
			 : f->kind == FIELD_TEXT ? "form_read_text#long"
						 : "form_read_list#many",
			 prefix, f->key);
		if (forms_bound(f, true, &beyond))
			refuse_change(form, f, beyond.data, NULL, why);
		buf_printf(&twice, ",\"%s\":", f->key);
		forms_value(f, NULL, &twice);
		snprintf(why, sizeof(why), "@form_check_keys#stands \"%s%s\"", prefix, f->key);
		refuse_change(form, NULL, NULL, twice.data, why);
	}
	snprintf(why, sizeof(why), "@form_check_keys#known \"%snosuch\"", prefix);
	refuse_change(form, NULL, NULL, ",\"nosuch\":1", why);
	refuse_change(form, NULL, NULL, ",\"nosuch\":null", why);
	snprintf(why, sizeof(why), "@form_check_keys#known \"%s\"", prefix);
	refuse_change(form, NULL, NULL, ",\"\":1", why);
}

#define BEFORE "{\"first\":1,\"text\":\"\",\"flag\":true,\"any\":1,\"few\":[],"
#define ITEM   "{\"name\":\"a\",\"number\":1,\"flag\":true}"

static void test_what_a_field_does_not_take_is_refused_by_its_path(void **state)
{
	(void)state;
	refuse_in(&sample_form, "");
	/* All three lists have the same wrong item; the first list is read first. */
	refuse_in(&item_form, "items[3].");
	must_refuse(BEFORE "\"items\":[" ITEM ",7]}", "@form_check_keys#message items[1]");
	must_refuse(BEFORE "\"items\":[[]]}", "@form_check_keys#message items[0]");
	must_refuse(BEFORE "\"items\":[null]}", "@form_check_keys#message items[0]");
}

static void test_what_is_no_object_is_refused(void **state)
{
	static const char *const texts[] = {"[]", "1", "\"first\"", "true", "null", "[{}]"};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		must_refuse(texts[i], "@form_check_keys#message message is");
}

static void test_a_key_that_is_null_first_does_not_hide_the_second(void **state)
{
	(void)state;
	refuse_change(&sample_form, &sample_form.fields[0], "null", ",\"first\":1", "\"first\" ");
	refuse_change(&sample_form, &sample_form.fields[0], "1", ",\"first\":null",
		      "@form_check_keys#stands \"first\"");
	refuse_change(&sample_form, &sample_form.fields[7], "null", ",\"may_number\":1",
		      "@form_check_keys#stands \"may_number\"");
}

static void test_exact_bounds_are_taken(void **state)
{
	(void)state;
	for (int nested = 0; nested < 2; nested++) {
		const struct form *form = nested ? &item_form : &sample_form;

		for (const struct field *f = form->fields; f->key; f++) {
			auto_buf struct buf value = {0};
			auto_buf struct buf text = {0};
			struct change change = {form, f, NULL, NULL};

			if (!forms_bound(f, false, &value))
				continue;
			change.value = value.data;
			forms_object(&sample_form, &change, &text);
			must_take(text.data);
		}
	}
}

static void test_keys_are_told_apart_by_case(void **state)
{
	(void)state;
	refuse_change(&sample_form, NULL, NULL, ",\"First\":1", "@form_check_keys#known \"First\"");
}

static void test_what_is_optional_may_be_missing_or_null(void **state)
{
	static const char *const texts[] = {
		"{\"first\":1,\"text\":\"a\",\"flag\":true,\"any\":1,\"items\":[],\"few\":[]}",
		"{\"first\":1,\"text\":\"a\",\"flag\":true,\"any\":1,\"items\":[],\"few\":[],"
		"\"may_text\":null,\"may_number\":null,\"may_flag\":null,\"may_list\":null}",
	};
	struct sample sample;
	struct json *document;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		assert_int_equal(read_text(texts[i], NULL, &sample, &document), 0);
		assert_string_equal(sample.may_text, "");
		assert_int_equal(sample.may_number, 0);
		assert_false(sample.may_flag);
		assert_int_equal(sample.may_list.count, 0);
		form_fini(&sample_form, &sample);
		json_free(document);
	}
}

static void test_a_key_of_somebody_else_is_passed_over(void **state)
{
	const char *text =
		"{\"op\":[1],\"first\":1,\"text\":\"a\",\"flag\":true,\"any\":1,"
		"\"items\":[],\"few\":[]}";
	struct sample sample;
	struct json *document;

	(void)state;
	assert_int_equal(read_text(text, "op", &sample, &document), 0);
	form_fini(&sample_form, &sample);
	json_free(document);
	must_refuse(text, "@form_check_keys#known \"op\"");
	refuse_change(&item_form, NULL, NULL, ",\"op\":1",
		      "@form_check_keys#known \"items[3].op\"");
}

static void test_what_is_written_is_read_again(void **state)
{
	(void)state;
	for (int largest = 0; largest < 2; largest++) {
		auto_buf struct buf text = {0};
		auto_buf struct buf again = {0};
		auto_buf struct buf members = {0};
		struct sample written;
		struct sample read;
		struct json *document;

		forms_fill(&sample_form, largest, &written);
		form_write(&sample_form, NULL, &written, &text);
		if (read_text(text.data, NULL, &read, &document))
			fail_msg("%s: %s", text.data, e.text);
		forms_assert_same(&sample_form, &written, &read);
		form_write(&sample_form, NULL, &read, &again);
		assert_string_equal(text.data, again.data);
		form_write_members(&sample_form, &read, &members);
		assert_int_equal(members.length, text.length - 2);
		assert_memory_equal(members.data, text.data + 1, members.length);
		form_fini(&sample_form, &read);
		json_free(document);
		forms_empty(&sample_form, &written);
	}
}

/* Most readers of JSON use doubles, which round integers beyond 2^53. */
static void test_numbers_cross_exactly(void **state)
{
	static const struct {
		uint64_t number;
		const char *text;
	} numbers[] = {
		{0,		       "\"any\":0,"                       },
		{1,		       "\"any\":1,"                       },
		{(1ull << 53) - 1,        "\"any\":9007199254740991,"        },
		{1ull << 53,              "\"any\":9007199254740992,"        },
		{(1ull << 53) + 1,        "\"any\":\"9007199254740993\","    },
		{1ull << 63,              "\"any\":\"9223372036854775808\"," },
		{10000000000000000000ull, "\"any\":\"10000000000000000000\","},
		{UINT64_MAX,              "\"any\":\"18446744073709551615\","},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(numbers); i++) {
		struct sample sample = {.any = numbers[i].number};
		auto_buf struct buf text = {0};
		struct json *document;

		form_write(&sample_form, NULL, &sample, &text);
		assert_non_null(strstr(text.data, numbers[i].text));
		assert_int_equal(read_text(text.data, NULL, &sample, &document), 0);
		assert_true(sample.any == numbers[i].number);
		form_fini(&sample_form, &sample);
		json_free(document);
	}
}

static void test_texts_cross_whatever_is_in_them(void **state)
{
	static const struct {
		const char *written;
		const char *read;
	} texts[] = {
		{NULL,			   ""				    },
		{"\"\\\n\t\x01\x7f",             "\"\\\n\t\x01\x7f"                    },
		{"caf\xc3\xa9 \xf0\x9f\x98\x80", "caf\xc3\xa9 \xf0\x9f\x98\x80"        },
		{"a\xff\xc3",                    "a\xef\xbf\xbd\xef\xbf\xbd"           },
		{"\xed\xa0\x80",                 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"%s%n",			 "%s%n"				},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct sample sample = {.text = texts[i].written};
		auto_buf struct buf text = {0};
		struct json *document;

		form_write(&sample_form, NULL, &sample, &text);
		assert_int_equal(read_text(text.data, NULL, &sample, &document), 0);
		assert_string_equal(sample.text, texts[i].read);
		form_fini(&sample_form, &sample);
		json_free(document);
	}
}

static void test_an_error_fits_whatever_the_message_says(void **state)
{
	auto_buf struct buf text = {0};

	(void)state;
	buf_text(&text, "{\"");
	for (int i = 0; i < 100000; i++)
		buf_text(&text, "\xe2\x82\xac");
	buf_text(&text, "\":1}");
	must_refuse(text.data, "@form_check_keys#known");
	assert_true(strlen(e.text) < 300);
}

static void test_a_form_is_ended_twice(void **state)
{
	struct sample sample;

	(void)state;
	forms_fill(&sample_form, true, &sample);
	forms_empty(&sample_form, &sample);
	form_fini(&sample_form, &sample);
	assert_null(sample.items.items);
	assert_int_equal(sample.items.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_field_does_not_take_is_refused_by_its_path),
		cmocka_unit_test(test_what_is_no_object_is_refused),
		cmocka_unit_test(test_a_key_that_is_null_first_does_not_hide_the_second),
		cmocka_unit_test(test_exact_bounds_are_taken),
		cmocka_unit_test(test_keys_are_told_apart_by_case),
		cmocka_unit_test(test_what_is_optional_may_be_missing_or_null),
		cmocka_unit_test(test_a_key_of_somebody_else_is_passed_over),
		cmocka_unit_test(test_what_is_written_is_read_again),
		cmocka_unit_test(test_numbers_cross_exactly),
		cmocka_unit_test(test_texts_cross_whatever_is_in_them),
		cmocka_unit_test(test_an_error_fits_whatever_the_message_says),
		cmocka_unit_test(test_a_form_is_ended_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
