/*
 * fuzz_extract - what holds of every reply: code or answer, never both; thinking is never code,
 * and a string of the code is what the model wrote; and of what is decided about it.
 */
#include "fuzz.h"

#include "agent/decide.h"
#include "agent/reply/extract.h"
#include "agent/reply/numbers.h"
#include "agent/reply/reply_end.h"
#include "base/buf.h"
#include "base/json.h"

static void check(const struct extract *x)
{
	MUST(x->text);
	MUST(!(x->code && x->answer));
	MUST(!x->early_answer || x->code);
	MUST(!x->code || x->code[0]);
	MUST(!x->code || x->code[strlen(x->code) - 1] == '\n');
	MUST(!x->code || !strchr(x->code, '\r'));
	MUST(x->code || x->answer || x->note || x->mistaken || x->words);
	MUST(!(x->thinking_unclosed || x->empty) || (!x->code && !x->answer && !x->call_count));
	MUST(!x->call_count || x->calls);
	MUST(!x->description ||
	     (!strpbrk(x->description, "\n\r\x1b") && strlen(x->description) <= 200));
	for (size_t i = 0; i < x->call_count; i++) {
		struct err e;
		auto_json struct json *arguments =
			json_parse(x->calls[i].arguments, strlen(x->calls[i].arguments), &e);

		MUST(arguments && json_is_object(arguments));
		MUST(!strcmp(x->calls[i].name, "execute_python"));
	}
}

/* By the bits of `n`, whatever happened before. */
static void check_decision(const struct extract *x, unsigned n)
{
	const struct situation s = {
		.conversation = n & 1,
		.tools = n & 2,
		.asks_for_code = n & 4,
		.cut_off = n & 8,
		.last = n & 16,
		.ran = n & 32,
		.failed = (n & 96) == 96,
		.past = (n & 32) ? (enum code_past)(n >> 7 & 1) : CODE_NEW,
		.asked = n >> 8 & 15,
	};
	struct decision d = decide(x, &s);

	MUST(d.kind != DECIDE_RUN || x->code);
	MUST(d.kind != DECIDE_ANSWER || d.text[strspn(d.text, " \t\n")]);
	MUST(d.kind != DECIDE_AGAIN || x->empty || x->thinking_unclosed);
}

/* Its numbers are its own, and it ends somewhere however it comes. */
static void check_text(const char *text, size_t size)
{
	struct unknown_numbers unknown = {0};
	struct numbers numbers = {0};
	struct reply_end end = {0};

	numbers_add(&numbers, text, strlen(text));
	numbers_find_unknown(&numbers, text, &unknown);
	MUST(!unknown.count);
	unknown_numbers_fini(&unknown);
	numbers_fini(&numbers);
	for (size_t i = 0; text[i]; i += strnlen(text + i, 1 + size % 50))
		reply_end_add(&end, CHAT_CONTENT, text + i, strnlen(text + i, 1 + size % 50));
	MUST(end.loop <= end.text[CHAT_CONTENT].length);
	reply_end_fini(&end);
}

/* What stands in front of </think> is never run. */
static void check_thinking(const char *text)
{
	size_t length = strlen(text);
	char *thought = malloc(length + 200);
	auto_extract struct extract x = {0};

	if (!thought)
		abort();
	snprintf(thought, length + 200, "%s\n</think>\n```python\nprint(1)\n```\n", text);
	if (length < 60000) {
		extract_reply(thought, &x);
		MUST(x.code && !strcmp(x.code, "print(1)\n"));
	}
	free(thought);
}

static void check_code(const char *reply, const char *code, size_t calls)
{
	auto_extract struct extract x = {0};

	extract_reply(reply, &x);
	MUST(x.code && !strcmp(x.code, code));
	MUST(x.call_count == calls && !x.note && !x.answer);
}

/* Whatever stands in a string of a closed block, or of a call, arrives as it was written. */
static void check_string(char *text)
{
	auto_buf struct buf code = {0};
	auto_buf struct buf reply = {0};

	if (strlen(text) > 60000)
		return;
	for (char *p = text; (p = strpbrk(p, "\"\\\r")); p++)
		*p = *p == '"' ? '\'' : ' ';
	buf_printf(&code, "s = \"\"\"%s\"\"\"\nprint(s)\n", text);
	buf_printf(&reply, "Look:\n```python\n%s```\nThat is it.", buf_string(&code));
	check_code(buf_string(&reply), buf_string(&code), 0);
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p >= 0x80) /* it may be no UTF-8 */
			return;
	buf_fini(&reply);
	buf_text(&reply, "I call {\"name\": \"execute_python\", \"arguments\": {\"code\": ");
	buf_json_string(&reply, code.data, code.length);
	buf_text(&reply, "}}<|im_end|>");
	check_code(buf_string(&reply), buf_string(&code), 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct chat_call call = {.name = (char *)"execute_python", .arguments = text};
	auto_extract struct extract reply = {0};
	auto_extract struct extract called = {0};

	extract_reply(text, &reply);
	check(&reply);
	for (unsigned n = 0; n < 4096; n += 37)
		check_decision(&reply, n);
	check_text(text, size);
	MUST(!extract_call(&call, &called) == (called.code != NULL));
	MUST(called.code || called.note);
	check_thinking(text);
	check_string(text);
	free(text);
	return 0;
}
