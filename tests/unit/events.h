/*
 * events - a task with one event of each kind, for the tests of event sinks.
 */
#ifndef GLOVEBOX_TESTS_EVENTS_H
#define GLOVEBOX_TESTS_EVENTS_H

#include <string.h>

#include "agent/data/event.h"

static inline struct event event_of(enum event_kind kind, const char *text)
{
	return (struct event){.kind = kind,
			      .iteration = 1,
			      .iterations = 6,
			      .text = text,
			      .length = text ? strlen(text) : 0};
}

static inline void send_text(struct event_sink *sink, enum event_kind kind, const char *text)
{
	struct event event = event_of(kind, text);

	sink->take(sink, &event);
}

static inline void send_piece(struct event_sink *sink, enum chat_piece kind, const char *text,
			      size_t length)
{
	struct event event = {.kind = EVENT_PIECE,
			      .iteration = 1,
			      .iterations = 6,
			      .piece = kind,
			      .text = text,
			      .length = length};

	sink->take(sink, &event);
}

static inline void send_request(struct event_sink *sink, const struct chat_message *messages,
				size_t count)
{
	struct chat_request request = {.model = "qwen",
				       .messages = messages,
				       .message_count = count,
				       .stream = true,
				       .num_ctx = 8192,
				       .temperature = 0.2,
				       .seed = -1};
	struct event event = event_of(EVENT_REQUEST, NULL);

	event.request = &request;
	sink->take(sink, &event);
}

static inline void send_reply(struct event_sink *sink, const char *content, const char *thinking)
{
	struct chat_reply reply = {
		.message = {.role = CHAT_ASSISTANT,
			    .content = (char *)(uintptr_t)content,
			    .thinking = (char *)(uintptr_t)thinking                 },
		.model = (char *)(uintptr_t) "qwen",
		.done_reason = "stop",
		.stats = {
			    .prompt_tokens = 10,     .reply_tokens = 5, .reply_us = 100, .total_us = 200}
        };
	struct event event = event_of(EVENT_REPLY, NULL);

	event.reply = &reply;
	sink->take(sink, &event);
}

static inline void send_execute(struct event_sink *sink, const char *code, const char *description)
{
	struct event event = event_of(EVENT_EXECUTE, code);

	event.description = description;
	sink->take(sink, &event);
}

static inline void send_executed(struct event_sink *sink, const struct execution *x)
{
	struct event event = event_of(EVENT_EXECUTED, "[EXECUTION RESULT]");

	event.execution = x;
	sink->take(sink, &event);
}

static inline void send_result(struct event_sink *sink, const struct task_result *r)
{
	struct event event = event_of(EVENT_RESULT, NULL);

	event.result = r;
	sink->take(sink, &event);
}

#endif
