/*
 * test_transcript - what is recorded, how its lines are chained, and how it is replayed.
 */
#include "unit.h"

#include <fcntl.h>

#include "agent/show/replay.h"
#include "agent/show/transcript.h"
#include "base/encode.h"
#include "base/io.h"
#include "base/json.h"
#include "base/json_escape.h"
#include "base/own.h"
#include "events.h"

static struct err e;
static int dir;
static char path[300];
static struct buf warnings;
static struct buf pieces;

static int enter(void **state)
{
	(void)state;
	dir = unit_enter();
	snprintf(path, sizeof(path), "%s/t.jsonl", unit_directory);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	unit_leave(dir);
	buf_fini(&warnings);
	buf_fini(&pieces);
	return 0;
}

static void warn(void *context, const char *text)
{
	(void)context;
	buf_printf(&warnings, "%s\n", text);
}

static void piece(void *context, enum chat_piece kind, const char *text, size_t length)
{
	(void)context;
	assert_true(length > 0);
	buf_text(&pieces, kind == CHAT_THINKING ? "t" : "c");
	buf_add(&pieces, text, length);
}

static struct chat_message message(enum chat_role role, const char *content)
{
	return (struct chat_message){.role = role, .content = (char *)(uintptr_t)content};
}

static struct event_sink *begin(void)
{
	struct event_sink *sink = transcript_open(written_path(path), &e);

	if (!sink)
		fail_msg("%s", e.text);
	return sink;
}

static void text_of_file(struct buf *out)
{
	accepts(io_read_file(AT_FDCWD, path, 1 << 20, out, &e), path);
}

static void put_file(const char *text)
{
	unit_write(dir, "t.jsonl", text, strlen(text));
}

/* Two rounds and an answer, with everything that they can contain. */
static void record(void)
{
	struct event_sink *sink = begin();
	struct chat_message m[] = {message(CHAT_SYSTEM, "rules, 6 left"),
				   message(CHAT_USER, "sum it"),
				   message(CHAT_ASSISTANT, "```python\nprint(\"\\u0000\")\n```"),
				   message(CHAT_USER, "[EXECUTION RESULT]")};
	struct execution x = {.verdict = EXECUTION_OK};
	struct task_result r = {.outcome = OUTCOME_ANSWERED, .answer = "42"};

	buf_add(&x.output[0], "\0\xff", 2);
	send_text(sink, EVENT_TASK, "sum it");
	send_request(sink, m, 2);
	send_piece(sink, CHAT_CONTENT, "not recorded", 12);
	send_reply(sink, m[2].content, "hm, \xe2\x82\xac");
	send_execute(sink, "print(\"\\u0000\")", NULL);
	send_executed(sink, &x);
	m[0] = message(CHAT_SYSTEM, "rules, 5 left");
	send_request(sink, m, 4);
	send_reply(sink, "<FINAL_ANSWER>42</FINAL_ANSWER>", NULL);
	send_text(sink, EVENT_ANSWER, "42");
	send_result(sink, &r);
	buf_fini(&x.output[0]);
	accepts(transcript_close(sink, &e), path);
}

static struct model *replay(void)
{
	const struct replay_options options = {.warn = warn};
	struct model *m = replay_open(path, &options, &e);

	if (!m)
		fail_msg("%s", e.text);
	return m;
}

static int ask(struct model *m, const struct chat_message *messages, size_t count, bool stream,
	       struct chat_reply *out)
{
	struct chat_request request = {
		.messages = messages, .message_count = count, .stream = stream};
	const struct chat_sink sink = {.piece = piece};
	enum model_failure why = MODEL_BUSY;

	e = (struct err){0};
	if (!m->chat(m, &request, &sink, out, &why, &e))
		return 0;
	return why == MODEL_CANCELLED ? -2 : -1;
}

static void test_every_line_is_chained(void **state)
{
	static const char *const kinds[] = {"transcript", "task",    "request", "reply",  "execute",
					    "executed",   "request", "reply",   "answer", "result"};
	auto_buf struct buf text = {0};
	char previous[DIGEST_HEX];
	size_t number = 0;

	(void)state;
	record();
	text_of_file(&text);
	memset(previous, '0', 64);
	previous[64] = '\0';
	for (size_t at = 0; at < text.length; number++) {
		size_t n = strcspn(text.data + at, "\n");
		auto_free char *line = strndup(text.data + at, n);
		struct json *document;

		json_repair(line, n);
		document = json_parse(line, n, &e);
		if (!document)
			fail_msg("%s: %s", e.text, line);
		assert_true(number < COUNT(kinds));
		assert_string_equal(json_string_at(document, "kind"), kinds[number]);
		assert_string_equal(json_string_at(document, "previous"), previous);
		digest_hex(text.data + at, n, previous);
		json_free(document);
		for (size_t i = 0; i < n; i++)
			assert_true(text.data[at + i] >= 0x20 && text.data[at + i] < 0x7f);
		at += n + 1;
	}
	assert_int_equal(number, COUNT(kinds));
}

static void test_the_file_is_private(void **state)
{
	struct stat st;

	(void)state;
	record();
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void test_requests_hold_what_was_added(void **state)
{
	auto_buf struct buf text = {0};

	(void)state;
	record();
	text_of_file(&text);
	assert_non_null(strstr(text.data,
			       "\"messages\":[{\"role\":\"system\",\"content\":\"rules, 6 "
			       "left\"},{\"role\":\"user\",\"content\":\"sum it\"}]"));
	assert_non_null(strstr(text.data,
			       "\"messages\":[{\"role\":\"system\",\"content\":\"rules, 5 "
			       "left\"},{\"from\":1,\"count\":1},{\"role\":\"assistant\","));
	assert_non_null(
		strstr(text.data, "\"num_ctx\":8192,\"num_predict\":0,\"temperature\":0.2"));
	assert_null(strstr(text.data, "not recorded"));
}

/* Any list may follow any other: the reader restores what was sent. */
static void test_any_change_of_a_conversation_is_put_together_again(void **state)
{
	static const char *const lists[] = {"abc", "abcd",   "bcd", "xbcd", "xd",  "xdxd",  "",
					    "dx",  "abcabc", "cba", "abc",  "abc", "axbxc", "q"};

	(void)state;
	for (size_t i = 0; i + 1 < COUNT(lists); i++) {
		struct event_sink *sink = begin();
		struct chat_message now[8];
		char letters[8][2] = {{0}};
		struct chat_reply reply;
		struct model *m;

		for (size_t k = i; k < i + 2; k++) {
			for (size_t n = 0; lists[k][n]; n++) {
				letters[n][0] = lists[k][n];
				now[n] = message(CHAT_USER, letters[n]);
			}
			send_request(sink, now, strlen(lists[k]));
		}
		send_reply(sink, "ok", NULL);
		accepts(transcript_close(sink, &e), path);
		m = replay();
		assert_int_equal(ask(m, now, strlen(lists[i + 1]), false, &reply), 0);
		chat_reply_fini(&reply);
		m->free(m);
		assert_string_equal(buf_string(&warnings), "");
	}
}

static void test_replay_says_the_same(void **state)
{
	struct chat_message m[] = {message(CHAT_SYSTEM, "other rules"),
				   message(CHAT_USER, "sum it"),
				   message(CHAT_ASSISTANT, "```python\nprint(\"\\u0000\")\n```"),
				   message(CHAT_USER, "[EXECUTION RESULT]")};
	enum model_failure why;
	struct model_facts facts;
	struct chat_reply reply;
	struct model *model;

	(void)state;
	record();
	model = replay();
	assert_string_equal(replay_begin_task(model, 0), "sum it");
	assert_string_equal(replay_model_name(model), "qwen");
	assert_int_equal(model->look_up(model, "qwen", &facts, &why, &e), 0);
	assert_true(facts.known && facts.thinking && !facts.tools);

	assert_int_equal(ask(model, m, 2, true, &reply), 0);
	assert_string_equal(reply.message.content, m[2].content);
	assert_string_equal(reply.message.thinking, "hm, \xe2\x82\xac");
	assert_string_equal(reply.model, "qwen");
	assert_string_equal(reply.done_reason, "stop");
	assert_int_equal(reply.stats.prompt_tokens, 10);
	assert_int_equal(reply.stats.reply_tokens, 5);
	assert_int_equal(reply.stats.total_us, 200);
	assert_string_equal(buf_string(&pieces),
			    "thm,t \xe2\x82\xac"
			    "c```python\nprcint(\"\\u0000\"c)\n```");
	chat_reply_fini(&reply);

	pieces.length = 0;
	assert_int_equal(ask(model, m, 4, false, &reply), 0);
	assert_string_equal(reply.message.content, "<FINAL_ANSWER>42</FINAL_ANSWER>");
	assert_null(reply.message.thinking);
	assert_int_equal(pieces.length, 0);
	chat_reply_fini(&reply);

	assert_int_equal(ask(model, m, 4, false, &reply), -1);
	assert_true(message_is(e.text, "@replay_chat#transcript"));
	assert_string_equal(buf_string(&warnings), "");
	model->free(model);
}

static void test_another_conversation_is_told_once(void **state)
{
	struct chat_message other[] = {message(CHAT_USER, "multiply it")};
	struct chat_reply reply;
	struct model *m;

	(void)state;
	record();
	m = replay();
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ask(m, other, 1, false, &reply), 0);
		chat_reply_fini(&reply);
	}
	assert_non_null(strstr(buf_string(&warnings), "(request 1, message 1)"));
	assert_ptr_equal(strchr(warnings.data, '\n'), warnings.data + warnings.length - 1);
	m->free(m);
}

static void test_a_changed_line_is_told_and_played(void **state)
{
	auto_buf struct buf text = {0};
	struct model *m;

	(void)state;
	record();
	text_of_file(&text);
	memcpy(strstr(text.data, "sum it"), "sub it", 6);
	put_file(text.data);
	m = replay();
	assert_string_equal(replay_begin_task(m, 0), "sub it");
	assert_string_equal(buf_string(&warnings),
			    "transcript: line 3 does not follow the one before: it was changed\n");
	m->free(m);
}

static void test_a_cut_file_is_played_as_far_as_it_goes(void **state)
{
	auto_buf struct buf text = {0};
	size_t played = 0;

	(void)state;
	record();
	text_of_file(&text);
	for (size_t length = 0; length < text.length; length += 17) {
		const struct replay_options options = {0};
		struct model *m;

		unit_write(dir, "t.jsonl", text.data, length);
		m = replay_open(path, &options, &e);
		if (m) {
			m->free(m);
			played++;
		} else {
			assert_true(message_is(e.text, "@recording_parse"));
		}
	}
	assert_true(played > 10);
}

static void test_a_file_without_its_beginning_is_told(void **state)
{
	static const char text[] =
		"{\"kind\":\"reply\",\"content\":\"x\",\"previous\":"
		"\"0000000000000000000000000000000000000000000000000000000000000000\"}";
	auto_buf struct buf whole = {0};
	const char *second;
	struct model *m;

	(void)state;
	record();
	text_of_file(&whole);
	second = strchr(buf_string(&whole), '\n') + 1;
	unit_write(dir, "t.jsonl", second, strlen(second));
	m = replay();
	assert_string_equal(buf_string(&warnings),
			    "transcript: line 1 is not the beginning of a transcript\n");
	m->free(m);
	buf_fini(&warnings);
	put_file(text);
	m = replay();
	assert_non_null(strstr(buf_string(&warnings), "line 1 is not the beginning"));
	m->free(m);
}

static void test_tasks_are_played_one_by_one(void **state)
{
	struct event_sink *sink = begin();
	struct chat_message user = message(CHAT_USER, "x");
	struct chat_reply reply;
	struct model *m;

	(void)state;
	send_text(sink, EVENT_TASK, "one");
	send_reply(sink, "1", NULL);
	send_text(sink, EVENT_TASK, "stopped before its reply");
	send_text(sink, EVENT_TASK, "two");
	send_reply(sink, "2", NULL);
	send_text(sink, EVENT_TASK, "stopped, too");
	accepts(transcript_close(sink, &e), path);
	m = replay();
	assert_string_equal(replay_begin_task(m, 0), "one");
	assert_int_equal(ask(m, &user, 1, false, &reply), 0);
	assert_string_equal(reply.message.content, "1");
	chat_reply_fini(&reply);
	assert_int_equal(ask(m, &user, 1, false, &reply), -1);
	assert_true(message_is(e.text, "@replay_chat#transcript"));
	assert_string_equal(replay_begin_task(m, 1), "two");
	assert_int_equal(ask(m, &user, 1, false, &reply), 0);
	assert_string_equal(reply.message.content, "2");
	chat_reply_fini(&reply);
	assert_null(replay_begin_task(m, 2));
	m->free(m);
}

static void test_cancelling_ends_a_replay(void **state)
{
	struct chat_message user = message(CHAT_USER, "sum it");
	struct chat_reply reply;
	struct model *m;
	int ends[2];

	(void)state;
	record();
	m = replay();
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	m->cancel_fd = ends[0];
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(ask(m, &user, 1, true, &reply), -2);
	close(ends[0]);
	close(ends[1]);
	m->free(m);
}

static void test_calls_come_back(void **state)
{
	char id[] = "call_1";
	char name[] = "execute_python";
	char arguments[] = "{\"code\":\"1\"}";
	char nothing[] = "";
	struct chat_call call = {id, name, arguments};
	struct chat_reply reply = {
		.message = {.content = nothing, .calls = &call, .call_count = 1}
        };
	struct event event = event_of(EVENT_REPLY, NULL);
	struct event_sink *sink = begin();
	struct model_facts facts;
	enum model_failure why;
	struct model *m;

	(void)state;
	event.reply = &reply;
	sink->take(sink, &event);
	accepts(transcript_close(sink, &e), path);
	m = replay();
	assert_null(replay_begin_task(m, 0));
	assert_int_equal(m->look_up(m, "x", &facts, &why, &e), 0);
	assert_true(facts.tools);
	assert_int_equal(ask(m, NULL, 0, true, &reply), 0);
	assert_int_equal(reply.message.call_count, 1);
	assert_string_equal(reply.message.calls[0].id, id);
	assert_string_equal(reply.message.calls[0].name, name);
	assert_string_equal(reply.message.calls[0].arguments, arguments);
	chat_reply_fini(&reply);
	m->free(m);
}

static void test_files_that_are_none_are_refused(void **state)
{
	static const char *const texts[] = {"",
					    "\n\n",
					    "garbage",
					    "{}\n[]\n1\nnull\n",
					    "{\"kind\":7}\n",
					    "{\"kind\":\"reply\""};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		put_file(texts[i]);
		refuses(!replay_open(path, NULL, &e), texts[i], ERR_INPUT, "@recording_parse");
	}
	refuses(!replay_open("/nonexistent/x", NULL, &e), "no file", ERR_SYSTEM,
		"@replay_open open");
}

static void test_replies_of_wrong_types_are_played_empty(void **state)
{
	struct chat_reply reply;
	struct model *m;

	(void)state;
	put_file(
		"{\"kind\":\"request\",\"messages\":[1,{},{\"from\":7,\"count\":9007199254740992},"
		"{\"from\":\"x\"},null],\"model\":[]}\n"
		"{\"kind\":\"reply\",\"content\":7,\"thinking\":{},\"calls\":[1,{\"name\":3},{}],"
		"\"done_reason\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"stats\":[]}\n");
	m = replay();
	assert_int_equal(ask(m, NULL, 0, true, &reply), 0);
	assert_string_equal(reply.message.content, "");
	assert_int_equal(reply.message.call_count, 0);
	assert_int_equal(strlen(reply.done_reason), 15);
	chat_reply_fini(&reply);
	m->free(m);
}

static void test_what_cannot_be_written_is_told_at_the_end(void **state)
{
	struct event_sink *sink;

	(void)state;
	refuses(!transcript_open(written_path("/nonexistent/t"), &e), "no directory", ERR_SYSTEM,
		"open /nonexistent");
	sink = transcript_open(written_path("/dev/full"), &e);
	assert_non_null(sink);
	send_text(sink, EVENT_TASK, "x");
	refuses(transcript_close(sink, &e), "/dev/full", ERR_SYSTEM, "write /dev/full");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_every_line_is_chained),
		TEST(test_the_file_is_private),
		TEST(test_requests_hold_what_was_added),
		TEST(test_any_change_of_a_conversation_is_put_together_again),
		TEST(test_replay_says_the_same),
		TEST(test_another_conversation_is_told_once),
		TEST(test_a_changed_line_is_told_and_played),
		TEST(test_a_cut_file_is_played_as_far_as_it_goes),
		TEST(test_a_file_without_its_beginning_is_told),
		TEST(test_tasks_are_played_one_by_one),
		TEST(test_cancelling_ends_a_replay),
		TEST(test_calls_come_back),
		TEST(test_files_that_are_none_are_refused),
		TEST(test_replies_of_wrong_types_are_played_empty),
		TEST(test_what_cannot_be_written_is_told_at_the_end),
	};

	return cmocka_run_group_tests_name("transcript", tests, NULL, NULL);
}
