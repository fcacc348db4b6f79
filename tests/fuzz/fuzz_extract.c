/*
 * fuzz_extract - what holds of every reply: code or answer, never both; thinking is never code,
 * and a string of the code is what the model wrote.
 */
#include "fuzz.h"

#include "agent/reply/extract.h"
#include "base/json.h"

static void check(const struct extract *x)
{
	MUST(x->text);
	MUST(!(x->code && x->answer));
	MUST(!x->early_answer || x->code);
	MUST(!x->code || x->code[0]);
	MUST(!x->code || x->code[strlen(x->code) - 1] == '\n');
	MUST(!x->code || !strchr(x->code, '\r'));
	MUST(x->code || x->answer || x->note);
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

/* Whatever stands in a string of a closed block arrives as it was written. */
static void check_string(char *text)
{
	static const char open[] = "```python\ns = \"\"\"";
	static const char close[] = "\"\"\"\nprint(s)\n";
	char *reply = NULL;
	auto_extract struct extract x = {0};

	if (strlen(text) > 60000)
		return;
	for (char *p = text; (p = strpbrk(p, "\"\\\r")); p++)
		*p = *p == '"' ? '\'' : ' ';
	if (asprintf(&reply, "Look:\n%s%s%s```\nThat is it.", open, text, close) < 0)
		abort();
	extract_reply(reply, &x);
	MUST(x.code && !x.call_count && !x.note);
	MUST(!strncmp(x.code, "s = \"\"\"", 7));
	MUST(!strncmp(x.code + 7, text, strlen(text)));
	MUST(!strcmp(x.code + 7 + strlen(text), close));
	free(reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct chat_call call = {.name = (char *)"execute_python", .arguments = text};
	auto_extract struct extract reply = {0};
	auto_extract struct extract called = {0};

	extract_reply(text, &reply);
	check(&reply);
	MUST(!extract_call(&call, &called) == (called.code != NULL));
	MUST(called.code || called.note);
	check_thinking(text);
	check_string(text);
	free(text);
	return 0;
}
