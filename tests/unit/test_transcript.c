/*
 * test_transcript - what is recorded, how its lines are chained.
 */
#include "unit.h"

#include <fcntl.h>

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
	return 0;
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

/* Two rounds and an answer, with everything that they can contain. */
static void record(void)
{
	struct event_sink *sink = begin();
	struct chat_message m[] = {message(CHAT_SYSTEM, "rules, 6 left"),
				   message(CHAT_USER, "sum it"),
				   message(CHAT_ASSISTANT, "```python\nprint(\"\\u0000\")\n```"),
				   message(CHAT_USER, "[EXECUTION RESULT]")};
	struct execution x = {.verdict = CODE_OK};
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

/* What a request's line says was sent, a letter each: pieces of the list before are looked up
 * there. */
static void read_letters(const char *line, const char *before, char out[16])
{
	struct json *document = json_parse(line, strcspn(line, "\n"), &e);
	size_t length = 0;

	if (!document)
		fail_msg("%s: %s", e.text, line);
	for (const struct json *m = json_first(json_get(document, "messages")); m;
	     m = json_next(m)) {
		const char *content = json_string_at(m, "content");
		size_t from = json_uint_at(m, "from", 0);
		size_t count = json_uint_at(m, "count", 0);

		assert_true(content ? strlen(content) == 1
				    : count && from + count <= strlen(before));
		memcpy(out + length, content ? content : before + from, content ? 1 : count);
		length += content ? 1 : count;
	}
	out[length] = '\0';
	json_free(document);
}

/* Any list may follow any other. */
static void test_any_change_of_a_conversation_is_put_together_again(void **state)
{
	static const char *const lists[] = {"abc", "abcd",   "bcd", "xbcd", "xd",  "xdxd",  "",
					    "dx",  "abcabc", "cba", "abc",  "abc", "axbxc", "q"};
	struct event_sink *sink = begin();
	auto_buf struct buf text = {0};
	char before[16] = "";
	const char *line;

	(void)state;
	for (size_t i = 0; i < COUNT(lists); i++) {
		struct chat_message now[8];
		char letters[8][2] = {{0}};

		for (size_t n = 0; lists[i][n]; n++) {
			letters[n][0] = lists[i][n];
			now[n] = message(CHAT_USER, letters[n]);
		}
		send_request(sink, now, strlen(lists[i]));
	}
	accepts(transcript_close(sink, &e), path);
	text_of_file(&text);
	line = buf_string(&text);
	for (size_t i = 0; i < COUNT(lists); i++) {
		char now[16];

		line = strchr(line, '\n') + 1;
		read_letters(line, before, now);
		assert_string_equal(now, lists[i]);
		memcpy(before, now, sizeof(before));
	}
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
		TEST(test_what_cannot_be_written_is_told_at_the_end),
	};

	return cmocka_run_group_tests_name("transcript", tests, NULL, NULL);
}
