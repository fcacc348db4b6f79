/*
 * test_operations - every row of the table is tested by what it declares: a new row needs no new
 * test.
 */
#include "forms.h"

#include "message_list.h"
#include "session/call.h"
#include "wire/operations.h"

static struct err e;

/* -- messages, as a socket delivers them --------------------------------------------------- */

static struct wire_message message(const char *text, unsigned fd_count)
{
	struct wire_message m = {.fd_count = fd_count};

	buf_text(&m.text, text);
	for (unsigned i = 0; i < fd_count; i++) {
		m.fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		assert_true(m.fds[i] >= 0);
	}
	return m;
}

static void assert_taken_over(const struct wire_message *m)
{
	assert_null(m->text.data);
	assert_int_equal(m->fd_count, 0);
}

/* A struct on the stack may hold any bytes. */
static int read_request(const char *text, unsigned fd_count, struct op_request *out)
{
	struct wire_message m = message(text, fd_count);
	int bad;

	memset(out, 0xa5, sizeof(*out));
	bad = op_request_read(&m, out, &e);
	assert_taken_over(&m);
	return bad;
}

static int read_answer(enum op op, const char *text, unsigned fd_count, struct op_answer *out)
{
	struct wire_message m = message(text, fd_count);
	int bad;

	memset(out, 0xa5, sizeof(*out));
	bad = op_answer_read(op, &m, out, &e);
	assert_taken_over(&m);
	return bad;
}

static void refuse_request(const char *text, unsigned fd_count, enum err_kind kind, const char *why)
{
	struct op_request request;

	e = (struct err){0};
	if (!read_request(text, fd_count, &request))
		fail_msg("taken: %.2000s", text);
	assert_int_equal(e.kind, kind);
	if (!message_is(e.text, why))
		fail_msg("%.2000s: \"%s\", not \"%s\"", text, e.text, why);
	assert_true(message_is(e.text, "@op_request_read"));
}

static void refuse_answer(enum op op, const char *text, unsigned fd_count)
{
	struct op_answer answer;

	e = (struct err){0};
	if (!read_answer(op, text, fd_count, &answer))
		fail_msg("taken as an answer to %s: %.2000s", operations[op].name, text);
	assert_int_equal(e.kind, ERR_SYSTEM);
	assert_true(message_is(e.text, "@operations_broken"));
}

static void take_request(enum op op, const char *text, unsigned fd_count)
{
	struct op_request request;

	if (read_request(text, fd_count, &request))
		fail_msg("%.2000s: %s", text, e.text);
	assert_int_equal(request.op, op);
	assert_int_equal(request.message.fd_count, fd_count);
	op_request_fini(&request);
}

static void take_answer(enum op op, const char *text, unsigned fd_count)
{
	struct op_answer answer;

	if (read_answer(op, text, fd_count, &answer))
		fail_msg("%.2000s: %s", text, e.text);
	assert_int_equal(answer.op, op);
	assert_int_equal(answer.message.fd_count, fd_count);
	op_answer_fini(&answer);
}

/* -- a row, with something wrong in it -------------------------------------------------------- */

static void write_request(enum op op, const struct change *change, struct buf *out)
{
	buf_printf(out, "{\"op\":\"%s\"", operations[op].name);
	forms_members(&operations[op].request, change, out);
	buf_text(out, "}");
}

static void write_answer(enum op op, const struct change *change, struct buf *out)
{
	forms_object(&operations[op].answer, change, out);
}

static void refuse_both(enum op op, bool is_request, const struct change *change, const char *why)
{
	auto_buf struct buf text = {0};

	if (is_request) {
		write_request(op, change, &text);
		refuse_request(text.data, operations[op].request_fds.min, ERR_INPUT, why);
	} else {
		write_answer(op, change, &text);
		refuse_answer(op, text.data, operations[op].answer_fds.min);
	}
}

static const char *beyond_bound(const struct field *f)
{
	switch (f->kind) {
	case FIELD_TEXT:
		return "form_read_text#long";
	case FIELD_NUMBER:
		return "form_read_number#large";
	case FIELD_FLAG:
	case FIELD_LIST:
		break;
	}
	return "form_read_list#many";
}

static void refuse_field(enum op op, bool is_request, const struct form *form,
			 const struct field *f, const char *prefix)
{
	auto_buf struct buf beyond = {0};
	auto_buf struct buf twice = {0};
	struct change change = {form, f, NULL, NULL};
	char why[200];

	for (const struct forms_bad *bad = forms_wrong_types(f); bad->why; bad++) {
		bool missing = !strcmp(bad->why, "form_read_field#missing");

		if (missing && f->optional)
			continue;
		snprintf(why, sizeof(why), "@%s \"%s%s\"", bad->why, prefix, f->key);
		change.value = bad->value;
		refuse_both(op, is_request, &change, why);
	}
	if (forms_bound(f, true, &beyond)) {
		snprintf(why, sizeof(why), "@%s \"%s%s\"", beyond_bound(f), prefix, f->key);
		change.value = beyond.data;
		refuse_both(op, is_request, &change, why);
	}
	buf_printf(&twice, ",\"%s\":", f->key);
	forms_value(f, NULL, &twice);
	change = (struct change){form, NULL, NULL, twice.data};
	snprintf(why, sizeof(why), "@form_check_keys#stands \"%s%s\"", prefix, f->key);
	refuse_both(op, is_request, &change, why);
}

/* The last item of a list is changed, and must be named in the error. */
static void refuse_form(enum op op, bool is_request, const struct form *form, const char *prefix)
{
	const struct change unknown = {form, NULL, NULL, ",\"nosuch\":null"};
	char why[200];

	for (const struct field *f = form->fields; f->key; f++) {
		char inner[100];

		refuse_field(op, is_request, form, f, prefix);
		if (f->kind != FIELD_LIST)
			continue;
		snprintf(inner, sizeof(inner), "%s[%d].", f->key, (int)forms_items(f) - 1);
		refuse_form(op, is_request, f->items, inner);
	}
	snprintf(why, sizeof(why), "@form_check_keys#known \"%snosuch\"", prefix);
	refuse_both(op, is_request, &unknown, why);
}

static void test_what_a_row_does_not_take_is_refused_by_its_path(void **state)
{
	(void)state;
	for (int op = 0; op < OP_COUNT; op++) {
		refuse_form((enum op)op, true, &operations[op].request, "");
		refuse_form((enum op)op, false, &operations[op].answer, "");
	}
}

static void test_a_path_is_as_people_expect_it(void **state)
{
	const struct change no_name = {
		((const struct field *)operations[OP_RETURN].request.fields)[4].items,
		operations[OP_RETURN].request.fields[4].items->fields, "7", NULL};

	(void)state;
	refuse_both(OP_RETURN, true, &no_name, "@form_read_text#must \"checkpoints[3].name\"");
}

/* -- what a row takes ------------------------------------------------------------------------- */

static void take_bounds(enum op op, bool is_request, const struct form *form)
{
	for (const struct field *f = form->fields; f->key; f++) {
		auto_buf struct buf value = {0};
		auto_buf struct buf text = {0};
		struct change change = {form, f, NULL, NULL};

		if (f->kind == FIELD_LIST)
			take_bounds(op, is_request, f->items);
		if (!forms_bound(f, false, &value))
			continue;
		change.value = value.data;
		if (is_request) {
			write_request(op, &change, &text);
			take_request(op, text.data, operations[op].request_fds.min);
		} else {
			write_answer(op, &change, &text);
			take_answer(op, text.data, operations[op].answer_fds.min);
		}
	}
}

static void test_exact_bounds_are_taken(void **state)
{
	(void)state;
	for (int op = 0; op < OP_COUNT; op++) {
		take_bounds((enum op)op, true, &operations[op].request);
		take_bounds((enum op)op, false, &operations[op].answer);
	}
}

static void cross_as_request(enum op op, bool largest)
{
	const struct form *form = &operations[op].request;
	auto_buf struct buf text = {0};
	struct op_request written;
	struct op_request read;

	forms_fill(form, largest, &written.nothing);
	op_request_write(op, &written.nothing, &text);
	if (read_request(text.data, operations[op].request_fds.min, &read))
		fail_msg("%.2000s: %s", text.data, e.text);
	assert_int_equal(read.op, op);
	forms_assert_same(form, &written.nothing, &read.nothing);
	op_request_fini(&read);
	forms_empty(form, &written.nothing);
}

static void cross_as_answer(enum op op, bool largest)
{
	const struct form *form = &operations[op].answer;
	auto_buf struct buf text = {0};
	struct op_answer written;
	struct op_answer read;

	forms_fill(form, largest, &written.nothing);
	op_answer_write(op, &written.nothing, &text);
	if (read_answer(op, text.data, operations[op].answer_fds.min, &read))
		fail_msg("%.2000s: %s", text.data, e.text);
	assert_int_equal(read.op, op);
	forms_assert_same(form, &written.nothing, &read.nothing);
	op_answer_fini(&read);
	forms_empty(form, &written.nothing);
}

static void test_requests_and_answers_cross_with_all_that_they_say(void **state)
{
	(void)state;
	for (int op = 0; op < OP_COUNT; op++) {
		assert_true(operations[op].request.size <=
			    sizeof(struct op_request) - offsetof(struct op_request, nothing));
		assert_true(operations[op].answer.size <=
			    sizeof(struct op_answer) - offsetof(struct op_answer, nothing));
		for (int largest = 0; largest < 2; largest++) {
			cross_as_request((enum op)op, largest);
			cross_as_answer((enum op)op, largest);
		}
	}
}

static void test_one_that_says_nothing_needs_no_struct(void **state)
{
	auto_buf struct buf request = {0};
	auto_buf struct buf answer = {0};

	(void)state;
	op_request_write(OP_ALIVE, NULL, &request);
	assert_string_equal(request.data, "{\"op\":\"alive\"}");
	op_answer_write(OP_ALIVE, NULL, &answer);
	assert_string_equal(answer.data, "{}");
	take_request(OP_ALIVE, request.data, 0);
	take_answer(OP_ALIVE, answer.data, 0);
}

/* All names at once, each as long as allowed, of characters whose JSON escapes are longest. */
static void test_a_page_of_sessions_fits_into_a_message(void **state)
{
	struct session_entry entries[SESSIONS_PAGE];
	const struct sessions_answer page = {
		{entries, SESSIONS_PAGE},
                UINT64_MAX
        };
	const struct field *name = session_entry_form.fields;
	auto_buf struct buf text = {0};
	char longest[100] = "";

	(void)state;
	assert_true(name->max < sizeof(longest));
	memset(longest, 1, name->max);
	for (int i = 0; i < SESSIONS_PAGE; i++) {
		entries[i] = (struct session_entry){longest,    true,       false,      UINT64_MAX,
						    UINT64_MAX, UINT64_MAX, UINT64_MAX, 8,
						    UINT64_MAX, UINT64_MAX};
	}
	op_answer_write(OP_SESSIONS, &page, &text);
	take_answer(OP_SESSIONS, text.data, 0);
	assert_true(text.length <= WIRE_MAX_TEXT);
}

static void test_the_table_is_sound(void **state)
{
	(void)state;
	for (int op = 0; op < OP_COUNT; op++) {
		const struct operation *row = &operations[op];

		assert_non_null(row->name);
		for (int other = 0; other < op; other++)
			assert_string_not_equal(row->name, operations[other].name);
		assert_true(row->request_fds.min <= row->request_fds.max);
		assert_true(row->answer_fds.min <= row->answer_fds.max);
		assert_true(row->request_fds.max <= WIRE_MAX_FDS);
		assert_true(row->answer_fds.max <= WIRE_MAX_FDS);
	}
}

/* -- descriptors ------------------------------------------------------------------------------ */

static void test_too_few_and_too_many_descriptors_are_refused(void **state)
{
	unsigned before = unit_count_open();

	(void)state;
	for (int i = 0; i < OP_COUNT; i++) {
		const struct operation *row = &operations[i];
		auto_buf struct buf request = {0};
		auto_buf struct buf answer = {0};
		enum op op = (enum op)i;

		write_request(op, NULL, &request);
		write_answer(op, NULL, &answer);
		for (unsigned n = 0; n <= WIRE_MAX_FDS; n++) {
			char why[60];

			snprintf(why, sizeof(why), "@operations_read_request#came %u", n);
			if (n < row->request_fds.min || n > row->request_fds.max)
				refuse_request(request.data, n, ERR_INPUT, why);
			else
				take_request(op, request.data, n);
			if (n < row->answer_fds.min || n > row->answer_fds.max)
				refuse_answer(op, answer.data, n);
			else
				take_answer(op, answer.data, n);
		}
	}
	assert_int_equal(unit_count_open(), before);
}

static void test_what_is_refused_leaves_no_descriptor_open(void **state)
{
	static const char *const texts[] = {
		"", "{", "{}", "[]", "{\"op\":\"keep\"}", "\"", "{\"op\":\"nosuch\"}"};
	unsigned before = unit_count_open();
	struct op_request request;
	struct op_answer answer;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		assert_int_equal(read_request(texts[i], WIRE_MAX_FDS, &request), -1);
		assert_int_equal(read_answer(OP_CELL, texts[i], WIRE_MAX_FDS, &answer), -1);
		assert_int_equal(read_answer(OP_CELL,
					     "{\"error\":{\"kind\":\"busy\",\"text\":\"x\","
					     "\"number\":0}}",
					     WIRE_MAX_FDS, &answer),
				 -1);
		assert_int_equal(e.kind, ERR_BUSY);
	}
	assert_int_equal(unit_count_open(), before);
}

/* -- what is no request ----------------------------------------------------------------------- */

static void test_what_is_no_request_is_refused(void **state)
{
	static const char *const invalid[] = {
		"",
		" ",
		"{",
		"}",
		"nul",
		"{\"op\":\"alive\"} x",
		"{\"op\":\"alive\",}",
		"{'op':'alive'}",
		"{\"op\":\"alive\",\"x\":01}",
		"{\"op\":\"alive\\u0000\"}",
		"{\"op\":\"\xff\"}",
		"{\"op\":\"alive\",\"op\":\"alive\"}",
		"{\"op\":\"alive\",\"op\":null}",
	};
	static const char *const unknown[] = {
		"1",
		"null",
		"[]",
		"\"op\"",
		"[\"op\",\"alive\"]",
		"{}",
		"{\"op\":null}",
		"{\"op\":1}",
		"{\"op\":[\"alive\"]}",
		"{\"op\":\"\"}",
		"{\"op\":\"Alive\"}",
		"{\"op\":\"alive \"}",
		"{\"OP\":\"alive\"}",
		"{\"op\":\"nosuch\"}",
		"{\"op\":null,\"op\":\"alive\"}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(invalid); i++)
		refuse_request(invalid[i], 0, ERR_INPUT, "");
	for (size_t i = 0; i < COUNT(unknown); i++)
		refuse_request(unknown[i], 0, ERR_UNSUPPORTED, "@operations_read_request#warm");
	take_request(OP_ALIVE, " {\n\"op\"\t:\r\"alive\" } ", 0);
	take_request(OP_ALIVE, "{\"op\":\"\\u0061live\"}", 0);
}

/* It costs no more than reading it. */
static void test_a_request_of_too_many_values_is_refused(void **state)
{
	auto_buf struct buf flat = {0};
	auto_buf struct buf deep = {0};

	(void)state;
	buf_text(&flat, "{\"op\":\"alive\",\"x\":[0");
	for (int i = 0; i < 5000; i++)
		buf_text(&flat, ",0");
	buf_text(&flat, "]}");
	refuse_request(flat.data, 0, ERR_INPUT, "");
	for (int i = 0; i < 50000; i++)
		buf_text(&deep, "[");
	refuse_request(deep.data, 0, ERR_INPUT, "");
}

/* -- errors ----------------------------------------------------------------------------------- */

static void cross(const struct err *written)
{
	auto_buf struct buf text = {0};
	struct op_answer answer;

	op_answer_write_error(written, &text);
	for (int op = 0; op < OP_COUNT; op++) {
		e = (struct err){0};
		assert_int_equal(read_answer((enum op)op, text.data, 0, &answer), -1);
		assert_int_equal(e.kind, written->kind);
		assert_int_equal(e.number, written->number);
	}
}

static void test_errors_cross_with_their_kind(void **state)
{
	static const int numbers[] = {0, 1, 133, 4095};

	(void)state;
	for (int kind = ERR_NONE + 1; kind < ERR_KINDS; kind++) {
		for (size_t i = 0; i < COUNT(numbers); i++) {
			struct err written = {.kind = (enum err_kind)kind, .number = numbers[i]};

			snprintf(written.text, sizeof(written.text), "open /x/%d", kind);
			cross(&written);
			assert_string_equal(e.text, written.text);
		}
	}
}

static void test_errors_cross_with_any_text(void **state)
{
	static const struct {
		const char *written;
		const char *read;
	} texts[] = {
		{"",		      ""			 },
		{"a \"quoted\" \\ thing", "a \"quoted\" \\ thing"    },
		{"\x1b[2J\r\n\t\x7f",     "\x1b[2J\r\n\t\x7f"        },
		{"%s%n%d",                "%s%n%d"                   },
		{"caf\xc3\xa9",           "caf\xc3\xa9"              },
		{"\xff\xc3(",             "\xef\xbf\xbd\xef\xbf\xbd("},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct err written = {.kind = ERR_GONE};

		snprintf(written.text, sizeof(written.text), "%s", texts[i].written);
		cross(&written);
		assert_string_equal(e.text, texts[i].read);
	}
}

/* Whatever it is filled with, and however much longer its JSON form is. */
static void test_errors_of_the_greatest_length_cross(void **state)
{
	(void)state;
	for (int c = 1; c < 0x100; c++) {
		struct err written = {.kind = ERR_LIMIT};

		memset(written.text, c, sizeof(written.text) - 1);
		cross(&written);
		assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
		if (c < 0x80)
			assert_string_equal(e.text, written.text);
		else
			assert_memory_equal(e.text, "\xef\xbf\xbd\xef\xbf\xbd", 6);
	}
}

/* The same for the reasons that are sent along with a session. */
static void test_reasons_of_the_greatest_length_cross(void **state)
{
	char why[sizeof(((struct session_call *)0)->why)];
	const struct return_request request = {.lost = true, .why = why};
	const struct return_answer told = {.why = why};

	(void)state;
	for (int c = 1; c < 0x100; c++) {
		auto_buf struct buf asked = {0};
		auto_buf struct buf answered = {0};

		memset(why, c, sizeof(why) - 1);
		why[sizeof(why) - 1] = '\0';
		op_request_write(OP_RETURN, &request, &asked);
		take_request(OP_RETURN, asked.data, 0);
		op_answer_write(OP_RETURN, &told, &answered);
		take_answer(OP_RETURN, answered.data, 0);
	}
}

/* A request of ours is one to each supervisor of our build. */
static void test_a_supervisor_that_cannot_read_a_request_is_of_another_build(void **state)
{
	auto_buf struct buf text = {0};
	struct op_request request;
	struct op_answer answer;

	(void)state;
	assert_int_equal(read_request("{\"op\":\"sessions\",\"later\":1}", 0, &request), -1);
	op_answer_write_error(&e, &text);
	assert_int_equal(read_answer(OP_SESSIONS, text.data, 0, &answer), -1);
	assert_int_equal(e.kind, ERR_SYSTEM);
	assert_non_null(strstr(e.text, "glovebox warm stop"));
}

static void test_an_error_that_breaks_the_rules_is_none_of_ours(void **state)
{
	static const char *const errors[] = {
		"null",
		"1",
		"\"busy\"",
		"[]",
		"{}",
		"{\"kind\":\"busy\"}",
		"{\"kind\":\"busy\",\"text\":\"x\"}",
		"{\"kind\":\"busy\",\"text\":1,\"number\":0}",
		"{\"kind\":\"busy\",\"text\":\"x\",\"number\":-1}",
		"{\"kind\":\"busy\",\"text\":\"x\",\"number\":4097}",
		"{\"kind\":\"busy\",\"text\":\"x\",\"number\":0,\"more\":1}",
		"{\"kind\":\"busy\",\"kind\":\"gone\",\"text\":\"x\",\"number\":0}",
		"{\"kind\":\"none\",\"text\":\"x\",\"number\":0}",
		"{\"kind\":\"nosuch\",\"text\":\"x\",\"number\":0}",
		"{\"kind\":\"Busy\",\"text\":\"x\",\"number\":0}",
		"{\"kind\":\"\",\"text\":\"x\",\"number\":0}",
		"{\"kind\":7,\"text\":\"x\",\"number\":0}",
		"{\"kind\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"text\":\"x\",\"number\":0}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(errors); i++) {
		auto_buf struct buf text = {0};

		buf_printf(&text, "{\"error\":%s}", errors[i]);
		for (int op = 0; op < OP_COUNT; op++)
			refuse_answer((enum op)op, text.data, 0);
	}
}

static void test_kinds_have_names_of_their_own(void **state)
{
	(void)state;
	for (int kind = ERR_NONE; kind < ERR_KINDS; kind++) {
		const char *name = err_kind_name((enum err_kind)kind);

		assert_non_null(name);
		assert_true(*name && strlen(name) <= 16); /* as many as an answer has room for */
		assert_int_equal(err_kind_of(name), kind);
	}
	assert_string_equal(err_kind_name((enum err_kind) - 1), "system");
	assert_string_equal(err_kind_name((enum err_kind)ERR_KINDS), "system");
	assert_string_equal(err_kind_name((enum err_kind)1000000), "system");
	assert_int_equal(err_kind_of(""), ERR_NONE);
	assert_int_equal(err_kind_of("BUSY"), ERR_NONE);
	assert_int_equal(err_kind_of("busy "), ERR_NONE);
	assert_int_equal(err_kind_of("nosuch"), ERR_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_table_is_sound),
		cmocka_unit_test(test_what_a_row_does_not_take_is_refused_by_its_path),
		cmocka_unit_test(test_a_path_is_as_people_expect_it),
		cmocka_unit_test(test_exact_bounds_are_taken),
		cmocka_unit_test(test_requests_and_answers_cross_with_all_that_they_say),
		cmocka_unit_test(test_one_that_says_nothing_needs_no_struct),
		cmocka_unit_test(test_a_page_of_sessions_fits_into_a_message),
		cmocka_unit_test(test_too_few_and_too_many_descriptors_are_refused),
		cmocka_unit_test(test_what_is_refused_leaves_no_descriptor_open),
		cmocka_unit_test(test_what_is_no_request_is_refused),
		cmocka_unit_test(test_a_request_of_too_many_values_is_refused),
		cmocka_unit_test(test_errors_cross_with_their_kind),
		cmocka_unit_test(test_errors_cross_with_any_text),
		cmocka_unit_test(test_errors_of_the_greatest_length_cross),
		cmocka_unit_test(test_reasons_of_the_greatest_length_cross),
		cmocka_unit_test(test_a_supervisor_that_cannot_read_a_request_is_of_another_build),
		cmocka_unit_test(test_an_error_that_breaks_the_rules_is_none_of_ours),
		cmocka_unit_test(test_kinds_have_names_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
