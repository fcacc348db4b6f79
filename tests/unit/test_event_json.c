/*
 * test_event_json - the lines of --json: their keys, their order, and pure ASCII.
 */
#include "unit.h"

#include <sys/mman.h>

#include "agent/show/event_json.h"
#include "base/io.h"
#include "base/json.h"
#include "base/json_escape.h"
#include "base/own.h"
#include "events.h"

static struct err e;
static int out_fd;
static struct event_sink *sink;

static int begin(void **state)
{
	(void)state;
	out_fd = memfd_create("events", MFD_CLOEXEC);
	sink = event_json_new(out_fd);
	return out_fd < 0;
}

static int end(void **state)
{
	(void)state;
	event_json_free(sink);
	close(out_fd);
	return 0;
}

/* Return what has been written so far, after checking that each line is one ASCII object. */
static void written(struct buf *out)
{
	lseek(out_fd, 0, SEEK_SET);
	accepts(io_read_fd(out_fd, "events", 1 << 20, out, &e), "events");
	for (size_t i = 0; i < out->length; i++)
		assert_true(out->data[i] == '\n' || (out->data[i] >= 0x20 && out->data[i] < 0x7f));
	for (size_t at = 0; at < out->length;) {
		size_t n = (size_t)((char *)memchr(out->data + at, '\n', out->length - at) -
				    (out->data + at));
		auto_free char *copy = strndup(out->data + at, n);
		struct json *document;

		json_repair(copy, n);
		document = json_parse(copy, n, &e);
		if (!document)
			fail_msg("%s: %s", e.text, copy);
		assert_true(json_is_object(document));
		assert_non_null(json_get(document, "event"));
		json_free(document);
		at += n + 1;
	}
}

static void wrote(const char *wanted)
{
	auto_buf struct buf out = {0};

	written(&out);
	assert_string_equal(buf_string(&out), wanted);
}

static void test_texts(void **state)
{
	(void)state;
	send_text(sink, EVENT_TASK, "caf\xc3\xa9 \xff \033[2J");
	send_text(sink, EVENT_FEEDBACK, "no code");
	send_text(sink, EVENT_NOTICE, "on the CPU");
	send_text(sink, EVENT_ANSWER, "4\n2");
	wrote("{\"event\":\"task\",\"iteration\":1,\"iterations\":6,"
	      "\"text\":\"caf\\u00e9 \\ufffd \\u001b[2J\"}\n"
	      "{\"event\":\"feedback\",\"iteration\":1,\"iterations\":6,\"text\":\"no code\"}\n"
	      "{\"event\":\"notice\",\"iteration\":1,\"iterations\":6,\"text\":\"on the CPU\"}\n"
	      "{\"event\":\"answer\",\"iteration\":1,\"iterations\":6,\"text\":\"4\\n2\"}\n");
}

static void test_request(void **state)
{
	struct chat_message m = {.role = CHAT_USER, .content = (char *)(uintptr_t) "hi"};

	(void)state;
	send_request(sink, &m, 1);
	wrote("{\"event\":\"request\",\"iteration\":1,\"iterations\":6,\"model\":\"qwen\","
	      "\"messages\":1,\"tools\":false,\"stream\":true}\n");
}

static void test_pieces_hold_whole_characters(void **state)
{
	(void)state;
	send_piece(sink, CHAT_CONTENT, "a\xe2\x82", 3);
	send_piece(sink, CHAT_THINKING, "\xc3", 1);
	send_piece(sink, CHAT_CONTENT, "\xac", 1);
	send_piece(sink, CHAT_CONTENT, "", 0);
	send_piece(sink, CHAT_THINKING, "\xbc", 1);
	send_piece(sink, CHAT_CONTENT, "\xf0\x9f", 2);
	send_reply(sink, "x", NULL);
	wrote("{\"event\":\"piece\",\"iteration\":1,\"iterations\":6,\"kind\":\"content\","
	      "\"text\":\"a\"}\n"
	      "{\"event\":\"piece\",\"iteration\":1,\"iterations\":6,\"kind\":\"content\","
	      "\"text\":\"\\u20ac\"}\n"
	      "{\"event\":\"piece\",\"iteration\":1,\"iterations\":6,\"kind\":\"thinking\","
	      "\"text\":\"\\u00fc\"}\n"
	      "{\"event\":\"piece\",\"iteration\":1,\"iterations\":6,\"kind\":\"content\","
	      "\"text\":\"\\ufffd\"}\n"
	      "{\"event\":\"reply\",\"iteration\":1,\"iterations\":6,\"content\":\"x\","
	      "\"thinking\":null,\"calls\":[],\"model\":\"qwen\",\"done_reason\":\"stop\","
	      "\"stats\":{\"prompt_tokens\":10,\"reply_tokens\":5,\"load_us\":0,\"prompt_us\":0,"
	      "\"reply_us\":100,\"total_us\":200}}\n");
}

static void test_calls(void **state)
{
	char id[] = "call_1";
	char name[] = "execute_python";
	char arguments[] = "{\"code\":\"1\"}";
	char nothing[] = "";
	struct chat_call calls[] = {
		{id,   name, arguments},
                {NULL, name, arguments}
        };
	struct chat_reply reply = {
		.message = {.content = nothing, .calls = calls, .call_count = 2}
        };
	struct event event = event_of(EVENT_REPLY, NULL);
	auto_buf struct buf out = {0};

	(void)state;
	event.reply = &reply;
	sink->take(sink, &event);
	written(&out);
	assert_non_null(strstr(buf_string(&out),
			       "\"calls\":[{\"id\":\"call_1\",\"name\":\"execute_python\","
			       "\"arguments\":\"{\\\"code\\\":\\\"1\\\"}\"},{\"id\":null,"));
}

static void test_execution(void **state)
{
	char path[] = "a\xff.png";
	char value[] = "3";
	struct execution_file file = {path, 12};
	struct execution x = {
		.verdict = CODE_TIMEOUT,
		.exit_code = 124,
		.truncated = {false, true},
		.value = value,
		.files = &file,
		.file_count = 1,
		.limit_ms = 30000,
		.duration_us = 7,
		.state_lost = true,
		.code_sha256 = "ab"
        };

	(void)state;
	buf_add(&x.output[0], "a\0b", 3);
	send_execute(sink, "print(1)", "count");
	send_executed(sink, &x);
	wrote("{\"event\":\"execute\",\"iteration\":1,\"iterations\":6,\"code\":\"print(1)\","
	      "\"description\":\"count\",\"code_sha256\":"
	      "\"d287bb7f9d15abdc5b6e98536263815744b6ef21c8f3c839fc434ca70d8efe99\"}\n"
	      "{\"event\":\"executed\",\"iteration\":1,\"iterations\":6,\"verdict\":\"timeout\","
	      "\"exit_code\":124,\"stdout\":\"a\\u0000b\",\"stderr\":\"\","
	      "\"stdout_truncated\":false,\"stderr_truncated\":true,\"value\":\"3\","
	      "\"traceback\":null,\"files\":[{\"path\":\"a\\ufffd.png\",\"path_hex\":"
	      "\"61ff2e706e67\",\"size\":12}],"
	      "\"files_truncated\":false,\"limit_ms\":30000,\"limit_bytes\":0,\"duration_us\":7,"
	      "\"state_lost\":true,\"code_sha256\":\"ab\",\"report\":\"[EXECUTION RESULT]\"}\n");
	buf_fini(&x.output[0]);
}

static void test_result_names_each_file_once(void **state)
{
	char a[] = "a.csv";
	char b[] = "b.png";
	struct execution_file first[] = {
		{a, 1},
                {b, 2}
        };
	struct execution_file second[] = {
		{a, 3}
        };
	struct execution x[] = {
		{.verdict = CODE_ERROR, .exit_code = 1, .files = first,     .file_count = 2},
		{.verdict = CODE_OK,                     .files = second,                  .file_count = 1},
	};
	struct task_result r = {.outcome = OUTCOME_ANSWERED,
				.answer = "42",
				.unknown_numbers = (char *const[]){(char *)"144"},
				.unknown_number_count = 1,
				.iterations = 2,
				.executions = x,
				.execution_count = 2,
				.reply_tokens = 9,
				.total_us = 11};

	(void)state;
	send_result(sink, &r);
	wrote("{\"event\":\"result\",\"iteration\":1,\"iterations\":6,\"outcome\":\"answered\","
	      "\"answer\":\"42\",\"unknown_numbers\":[\"144\"],\"missing_files\":[],\"error\":null,"
	      "\"iterations_used\":"
	      "2,\"files\":["
	      "{\"path\":\"b.png\",\"size\":2},{\"path\":\"a.csv\",\"size\":3}],"
	      "\"files_truncated\":false,\"executions\":["
	      "{\"verdict\":\"error\",\"exit_code\":1,\"duration_us\":0,\"state_lost\":false,"
	      "\"code_sha256\":\"\"},{\"verdict\":\"ok\",\"exit_code\":0,\"duration_us\":0,"
	      "\"state_lost\":false,\"code_sha256\":\"\"}],\"prompt_tokens\":0,"
	      "\"reply_tokens\":9,\"model_us\":0,\"sandbox_us\":0,\"start_us\":0,"
	      "\"person_us\":0,\"total_us\":11}\n");
}

static void test_a_closed_reader_makes_it_silent(void **state)
{
	struct event_sink *closed = event_json_new(-1);

	(void)state;
	send_text(closed, EVENT_TASK, "a");
	send_text(closed, EVENT_TASK, "b");
	event_json_free(closed);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_texts, begin, end),
		cmocka_unit_test_setup_teardown(test_request, begin, end),
		cmocka_unit_test_setup_teardown(test_pieces_hold_whole_characters, begin, end),
		cmocka_unit_test_setup_teardown(test_calls, begin, end),
		cmocka_unit_test_setup_teardown(test_execution, begin, end),
		cmocka_unit_test_setup_teardown(test_result_names_each_file_once, begin, end),
		cmocka_unit_test(test_a_closed_reader_makes_it_silent),
	};

	return cmocka_run_group_tests_name("event_json", tests, NULL, NULL);
}
