/*
 * wire_probe - one request to a server of models, and what became of it in JSON lines.
 *
 *     wire_probe API CALL URL [KEY=VALUE...]
 *
 * API is ollama or openai; CALL is chat, show or place. The Python tests drive it. A byte
 * on standard input, or its end, cancels. Keys: model, stream, tools, think, stall, connect,
 * key, keep_alive, num_ctx, num_predict, temperature, seed, times.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/server/server.h"

static const char *value_of(char **argv, const char *key)
{
	size_t length = strlen(key);

	for (char **p = argv; *p; p++)
		if (!strncmp(*p, key, length) && (*p)[length] == '=')
			return *p + length + 1;
	return NULL;
}

static uint64_t number_of(char **argv, const char *key)
{
	const char *value = value_of(argv, key);

	return value ? strtoull(value, NULL, 10) : 0;
}

static void print_line(struct buf *line)
{
	buf_text(line, "}\n");
	if (write(1, line->data, line->length) < 0)
		exit(2);
}

static void member(struct buf *line, const char *key, const char *text)
{
	buf_printf(line, ",\"%s\":", key);
	buf_json_text(line, text);
}

static void on_piece(void *context, enum chat_piece kind, const char *text, size_t length)
{
	auto_buf struct buf line = {0};

	(void)context;
	if (!length) {
		buf_text(&line, "{\"tick\":true");
		print_line(&line);
		return;
	}
	buf_printf(&line,
		   "{\"piece\":\"%s\",\"text\":", kind == CHAT_CONTENT ? "content" : "thinking");
	buf_json_string(&line, text, length);
	print_line(&line);
}

static void print_failure(enum model_failure why, const struct err *e)
{
	static const char *const names[] = {
		"unreachable", "missing", "no-tools", "no-thinking", "busy", "cancelled", "broken",
	};
	auto_buf struct buf line = {0};
	char text[1024];

	buf_printf(&line, "{\"failed\":\"%s\"", names[why]);
	member(&line, "error", err_string(e, text, sizeof(text)));
	print_line(&line);
}

static void print_reply(const struct chat_reply *r)
{
	auto_buf struct buf line = {0};

	buf_printf(&line, "{\"role\":%d", (int)r->message.role);
	member(&line, "content", r->message.content);
	member(&line, "thinking", r->message.thinking);
	member(&line, "model", r->model);
	member(&line, "done_reason", r->done_reason);
	buf_printf(&line, ",\"prompt_tokens\":%llu,\"reply_tokens\":%llu,\"reply_us\":%llu",
		   (unsigned long long)r->stats.prompt_tokens,
		   (unsigned long long)r->stats.reply_tokens,
		   (unsigned long long)r->stats.reply_us);
	buf_printf(&line, ",\"total\":%s,\"calls\":[", r->stats.total_us ? "true" : "false");
	for (size_t i = 0; i < r->message.call_count; i++) {
		buf_text(&line, i ? ",{\"n\":0" : "{\"n\":0");
		member(&line, "id", r->message.calls[i].id);
		member(&line, "name", r->message.calls[i].name);
		buf_printf(&line, ",\"arguments\":%s}", r->message.calls[i].arguments);
	}
	buf_text(&line, "]");
	print_line(&line);
}

#define TEXT(text) (char *)(text) /* elsewhere these structs own what they hold */

/* Everything that a conversation may contain, once. */
static struct chat_call calls[] = {
	{TEXT("call_1"), TEXT("execute_python"), TEXT("{\"code\":\"print(1)\"}")},
};

static const struct chat_message conversation[] = {
	{.role = CHAT_SYSTEM,					   .content = TEXT("rules")},
	{ .role = CHAT_USER, .content = TEXT("caf\xc3\xa9 \xf0\x9f\x98\x80 \"quoted\"\n")                        },
	{
         .role = CHAT_ASSISTANT,
         .content = TEXT(""),
         .thinking = TEXT("hm"),
         .calls = calls,
         .call_count = 1,
	 },
	{
         .role = CHAT_TOOL,
         .content = TEXT("1\n"),
         .tool_name = TEXT("execute_python"),
         .tool_call_id = TEXT("call_1"),
	 },
};

static int chat(struct model *m, const char *name, char **argv)
{
	const struct chat_sink sink = {.piece = on_piece};
	const char *think = value_of(argv, "think");
	struct chat_request request = {
		.model = name,
		.messages = conversation,
		.message_count = sizeof(conversation) / sizeof(conversation[0]),
		.offer_tools = number_of(argv, "tools"),
		.think = !think          ? CHAT_THINK_UNSET
			 : *think == '1' ? CHAT_THINK_ON
					 : CHAT_THINK_OFF,
		.stream = !value_of(argv, "stream") || number_of(argv, "stream"),
		.num_ctx = number_of(argv, "num_ctx"),
		.num_predict = number_of(argv, "num_predict"),
		.temperature = value_of(argv, "temperature") ? 0.2 : CHAT_UNSET,
		.seed = value_of(argv, "seed") ? (int64_t)number_of(argv, "seed") : -1,
		.keep_alive = value_of(argv, "keep_alive"),
	};
	struct chat_reply reply;
	enum model_failure why = MODEL_BROKEN;
	struct err e = {0};

	if (m->chat(m, &request, &sink, &reply, &why, &e)) {
		print_failure(why, &e);
		return 1;
	}
	print_reply(&reply);
	chat_reply_fini(&reply);
	return 0;
}

static int show(struct model *m, const char *name)
{
	struct model_facts facts = {0};
	enum model_failure why = MODEL_BROKEN;
	struct err e = {0};

	if (m->look_up && m->look_up(m, name, &facts, &why, &e)) {
		print_failure(why, &e);
		return 1;
	}
	printf("{\"known\":%d,\"tools\":%d,\"thinking\":%d,\"context\":%llu}\n", facts.known,
	       facts.tools, facts.thinking, (unsigned long long)facts.context_length);
	return 0;
}

static int place(struct model *m, const char *name)
{
	struct model_placement at = {0};
	struct err e = {0};

	if (m->placement && m->placement(m, name, &at, &e)) {
		print_failure(MODEL_BROKEN, &e);
		return 1;
	}
	printf("{\"loaded\":%d,\"size\":%llu,\"gpu\":%llu,\"context\":%llu}\n", at.loaded,
	       (unsigned long long)at.size_bytes, (unsigned long long)at.gpu_bytes,
	       (unsigned long long)at.context_length);
	return 0;
}

int main(int argc, char **argv)
{
	struct server_options options;
	struct model *m;
	const char *name;
	struct err e = {0};
	int status = 0;

	if (argc < 4)
		return 2;
	options = (struct server_options){
		.url = argv[3],
		.api_key = value_of(argv, "key"),
		.connect_ms = number_of(argv, "connect"),
		.stall_ms = number_of(argv, "stall"),
		.retry_pause_ms = 20,
	};
	m = (strcmp(argv[1], "openai") != 0 ? ollama_open : openai_open)(&options, &e);
	if (!m) {
		print_failure(MODEL_BROKEN, &e);
		return 1;
	}
	m->cancel_fd = 0;
	name = value_of(argv, "model") ? value_of(argv, "model") : "m";
	for (uint64_t i = 0; i < (number_of(argv, "times") ? number_of(argv, "times") : 1); i++)
		status = !strcmp(argv[2], "chat")   ? chat(m, name, argv)
			 : !strcmp(argv[2], "show") ? show(m, name)
						    : place(m, name);
	m->free(m);
	return status;
}
