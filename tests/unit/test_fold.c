/*
 * test_fold - pieces of text and calls are joined to one reply, whatever they contain.
 */
#include "unit.h"

#include "agent/server/fold.h"

static struct err e;

static void on_piece(void *context, enum chat_piece kind, const char *text, size_t length)
{
	struct buf *out = context;

	buf_text(out, kind == CHAT_CONTENT ? "C" : "T");
	buf_add(out, text, length);
	buf_text(out, ";");
}

static void test_pieces_are_told_and_joined(void **state)
{
	auto_buf struct buf told = {0};
	const struct chat_sink sink = {.piece = on_piece, .context = &told};
	struct fold f = {.sink = &sink};
	struct chat_reply reply = {0};

	(void)state;
	accepts(fold_piece(&f, CHAT_THINKING, "hm", &e), "thinking");
	accepts(fold_piece(&f, CHAT_CONTENT, "a", &e), "a");
	accepts(fold_piece(&f, CHAT_CONTENT, "", &e), "nothing");
	accepts(fold_piece(&f, CHAT_CONTENT, NULL, &e), "nothing");
	accepts(fold_piece(&f, CHAT_CONTENT, "b\xff\xc3", &e), "bad bytes");
	assert_string_equal(told.data, "Thm;Ca;Cb\xef\xbf\xbd\xef\xbf\xbd;");
	fold_end(&f, &reply);
	fold_fini(&f);
	assert_string_equal(reply.message.content, "ab\xef\xbf\xbd\xef\xbf\xbd");
	assert_string_equal(reply.message.thinking, "hm");
	assert_int_equal(reply.message.role, CHAT_ASSISTANT);
	chat_reply_fini(&reply);
}

static void test_nothing_is_a_reply(void **state)
{
	struct fold f = {0};
	struct chat_reply reply = {0};

	(void)state;
	assert_false(f.any);
	fold_end(&f, &reply);
	fold_fini(&f);
	assert_string_equal(reply.message.content, "");
	assert_null(reply.message.thinking);
	assert_null(reply.model);
	assert_int_equal(reply.message.call_count, 0);
	chat_reply_fini(&reply);
}

static void test_restart_forgets_all_but_the_sink(void **state)
{
	auto_buf struct buf told = {0};
	const struct chat_sink sink = {.piece = on_piece, .context = &told};
	struct fold f = {.sink = &sink};
	struct chat_reply reply = {0};

	(void)state;
	fold_model(&f, "m");
	fold_reason(&f, "stop");
	accepts(fold_call(&f, 0, "id", "name", NULL, &e), "call");
	accepts(fold_piece(&f, CHAT_CONTENT, "a", &e), "a");
	fold_restart(&f);
	assert_false(f.any);
	accepts(fold_piece(&f, CHAT_CONTENT, "b", &e), "b");
	fold_end(&f, &reply);
	fold_fini(&f);
	assert_string_equal(reply.message.content, "b");
	assert_string_equal(reply.done_reason, "");
	assert_null(reply.model);
	assert_int_equal(reply.message.call_count, 0);
	assert_string_equal(told.data, "Ca;Cb;");
	chat_reply_fini(&reply);
}

/* The fragments of one call's arguments, and what they become when joined. */
static void test_arguments_become_an_object(void **state)
{
	static const struct {
		const char *fragments[4]; /* JSON values */
		const char *object;
	} table[] = {
		{{"{\"code\":\"1\"}"},                     "{\"code\":\"1\"}"       },
		{{"\"{\\\"code\\\":\\\"1\\\"}\""},         "{\"code\":\"1\"}"       },
		{{"\"{\\\"co\"", "\"de\\\":\"", "\"1}\""}, "{\"code\":1}"           },
		{{"\"print(1)\""},                         "{\"code\":\"print(1)\"}"},
		{{"\"pri\"", "\"nt(1)\""},                 "{\"code\":\"print(1)\"}"},
		{{"\"\\\"print(1)\\\"\""},                 "{\"code\":\"print(1)\"}"},
		{{"\"{\\\"code\\\": \\\"cut\""},           "{}"                     },
		{{"\" {'single': 1}\""},                   "{}"                     },
		{{"[1]"},				  "{\"code\":\"[1]\"}"     },
		{{"\"\""},				 "{}"                     },
		{{NULL},				   "{}"                     },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct fold f = {0};
		struct chat_reply reply = {0};

		accepts(fold_call(&f, 0, "call_1", "execute_python", NULL, &e), "begin");
		for (size_t n = 0; table[i].fragments[n]; n++) {
			const char *text = table[i].fragments[n];
			auto_json struct json *value = json_parse(text, strlen(text), &e);

			assert_non_null(value);
			accepts(fold_call(&f, 0, NULL, NULL, value, &e), text);
		}
		fold_end(&f, &reply);
		fold_fini(&f);
		assert_int_equal(reply.message.call_count, 1);
		assert_string_equal(reply.message.calls[0].arguments, table[i].object);
		assert_string_equal(reply.message.calls[0].id, "call_1");
		assert_string_equal(reply.message.calls[0].name, "execute_python");
		chat_reply_fini(&reply);
	}
}

static void test_numbers_that_are_left_out_are_no_calls(void **state)
{
	struct fold f = {0};
	struct chat_reply reply = {0};

	(void)state;
	accepts(fold_call(&f, 3, "x", "three", NULL, &e), "3");
	accepts(fold_call(&f, 1, "", "one", NULL, &e), "1");
	refuses(fold_call(&f, FOLD_CALLS_MAX, "x", "y", NULL, &e), "64", ERR_INPUT, "64");
	refuses(fold_call(&f, SIZE_MAX, "x", "y", NULL, &e), "most", ERR_INPUT, "64");
	fold_end(&f, &reply);
	fold_fini(&f);
	assert_int_equal(reply.message.call_count, 2);
	assert_string_equal(reply.message.calls[0].name, "one");
	assert_null(reply.message.calls[0].id);
	assert_string_equal(reply.message.calls[1].name, "three");
	chat_reply_fini(&reply);
}

static void test_a_text_has_a_longest_length(void **state)
{
	size_t length = FOLD_TEXT_MAX / 2 + 1;
	char *text = malloc(length + 1);
	struct fold f = {0};

	(void)state;
	memset(text, 'x', length);
	text[length] = '\0';
	accepts(fold_piece(&f, CHAT_CONTENT, text, &e), "half");
	accepts(fold_piece(&f, CHAT_THINKING, text, &e), "half");
	refuses(fold_piece(&f, CHAT_CONTENT, text, &e), "whole", ERR_INPUT, "@fold_piece");
	fold_fini(&f);
	free(text);
}

static void test_the_reason_is_short_and_plain(void **state)
{
	struct fold f = {0};

	(void)state;
	fold_reason(&f, NULL);
	assert_string_equal(f.done_reason, "");
	fold_reason(&f, "a\nb\x1b[1m and much more than fits");
	assert_string_equal(f.done_reason, "a?b?[1m?and?muc");
	fold_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_are_told_and_joined),
		cmocka_unit_test(test_nothing_is_a_reply),
		cmocka_unit_test(test_restart_forgets_all_but_the_sink),
		cmocka_unit_test(test_arguments_become_an_object),
		cmocka_unit_test(test_numbers_that_are_left_out_are_no_calls),
		cmocka_unit_test(test_a_text_has_a_longest_length),
		cmocka_unit_test(test_the_reason_is_short_and_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
