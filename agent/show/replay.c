/*
 * replay - a model that repeats what it said in a transcript.
 */
#include "agent/show/replay.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "agent/show/replay_file.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"

#define PACED_US    30000000u
#define PIECE_BYTES 12

struct replay {
	struct model model; /* first: a model is this */
	struct replay_options options;
	struct recording recording;
	size_t next; /* reply */
	size_t end;  /* of the replies that may be played now */
	bool differed;
};

static struct replay *replay_of(const struct model *m)
{
	return (struct replay *)m;
}

static void replay_warn(const struct replay *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void replay_warn(const struct replay *r, const char *format, ...)
{
	auto_buf struct buf text = {0};
	va_list arguments;

	if (!r->options.warn)
		return;
	va_start(arguments, format);
	buf_vprintf(&text, format, arguments);
	va_end(arguments);
	r->options.warn(r->options.context, buf_string(&text));
}

/* Warn once: after the first difference there will be more. */
static void replay_compare(struct replay *r, const struct recorded_reply *recorded,
			   const struct chat_request *request)
{
	size_t at = 0;

	if (r->differed || !recorded->asked)
		return;
	for (size_t i = 0; i < request->message_count && !r->differed; i++) {
		struct heard now = recording_hear(&request->messages[i]);

		/* The system text depends on this machine and on the rounds left. */
		if (now.role == CHAT_SYSTEM)
			continue;
		r->differed = at >= recorded->heard_count ||
			      !recording_is_same(&recorded->heard[at], &now);
		at++;
	}
	r->differed = r->differed || at != recorded->heard_count;
	if (r->differed)
		replay_warn(r,
			    "the conversation differs from the recorded one (request %zu, message "
			    "%zu): "
			    "what the model says next may not fit",
			    r->next + 1, at);
}

/* Wait; true when the user has cancelled. */
static bool replay_pause_us(const struct replay *r, uint64_t us)
{
	return fd_await(r->model.cancel_fd, POLLIN, monotonic_us() + us);
}

/* About a word, never a part of a character. */
static size_t replay_piece_length(const char *text, size_t length)
{
	size_t n = 1;

	while (n < length && n < PIECE_BYTES && text[n] != ' ')
		n++;
	while (n < length && ((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* Play one text in pieces, `us` apart. True when the user has cancelled. */
static bool replay_play(const struct replay *r, const struct chat_sink *sink, enum chat_piece kind,
			const char *text, uint64_t us)
{
	size_t length = text ? strlen(text) : 0;

	for (size_t at = 0; at < length;) {
		size_t n = replay_piece_length(text + at, length - at);

		if (replay_pause_us(r, us))
			return true;
		sink->piece(sink->context, kind, text + at, n);
		at += n;
	}
	return false;
}

static uint64_t replay_piece_us(const struct replay *r, const struct chat_reply *reply)
{
	size_t bytes = strlen(reply->message.content) +
		       (reply->message.thinking ? strlen(reply->message.thinking) : 0);
	uint64_t us = reply->stats.reply_us < PACED_US ? reply->stats.reply_us : PACED_US;

	return r->options.paced && bytes ? us / (bytes / PIECE_BYTES * 2 + 1) : 0;
}

static int replay_chat(struct model *m, const struct chat_request *request,
		       const struct chat_sink *sink, struct chat_reply *out,
		       enum model_failure *why, struct err *e)
{
	struct replay *r = replay_of(m);
	const struct recorded_reply *recorded;
	const struct chat_message *message;
	uint64_t us;

	if (r->next >= r->end) {
		*why = MODEL_BROKEN;
		return err_set(e, ERR_NOT_FOUND,
			       "the transcript is at its end: the model said no more");
	}
	recorded = &r->recording.replies[r->next];
	message = &recorded->reply.message;
	replay_compare(r, recorded, request);
	us = replay_piece_us(r, &recorded->reply);
	if (request->stream && sink && sink->piece &&
	    (replay_play(r, sink, CHAT_THINKING, message->thinking, us) ||
	     replay_play(r, sink, CHAT_CONTENT, message->content, us))) {
		*why = MODEL_CANCELLED;
		return err_set(e, ERR_INPUT, "cancelled");
	}
	*out = recorded->reply;
	out->message = chat_message_copy(message);
	out->model = own_strdup(recorded->reply.model);
	r->next++;
	return 0;
}

static int replay_look_up(struct model *m, const char *name, struct model_facts *out,
			  enum model_failure *why, struct err *e)
{
	(void)name;
	(void)e;
	*why = MODEL_BROKEN; /* not used: this cannot fail */
	*out = (struct model_facts){.known = true,
				    .tools = replay_of(m)->recording.tools,
				    .thinking = replay_of(m)->recording.thinking};
	return 0;
}

static void replay_free(struct model *m)
{
	recording_fini(&replay_of(m)->recording);
	free(replay_of(m));
}

static void replay_warn_of_line(void *context, const char *text)
{
	replay_warn(context, "transcript: %s", text);
}

struct model *replay_open(const char *path, const struct replay_options *options, struct err *e)
{
	struct replay *r = own_zeroed(1, sizeof(*r));

	r->model = (struct model){.chat = replay_chat,
				  .look_up = replay_look_up,
				  .free = replay_free,
				  .cancel_fd = -1,
				  .url = "a transcript"};
	if (options)
		r->options = *options;
	if (recording_read(path, &r->recording, replay_warn_of_line, r, e)) {
		err_prefix(e, "replay");
		replay_free(&r->model);
		return NULL;
	}
	r->end = r->recording.reply_count;
	return &r->model;
}

const char *replay_model_name(const struct model *m)
{
	return replay_of(m)->recording.model;
}

const char *replay_begin_task(struct model *m, size_t number)
{
	struct replay *r = replay_of(m);
	const struct recording *recording = &r->recording;

	if (number >= recording->task_count)
		return NULL;
	r->next = recording->tasks[number].first;
	r->end = number + 1 < recording->task_count ? recording->tasks[number + 1].first
						    : recording->reply_count;
	return r->next < r->end ? recording->tasks[number].text : NULL;
}
