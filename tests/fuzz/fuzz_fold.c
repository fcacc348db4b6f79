/*
 * fuzz_fold - whatever a server says becomes valid text, and each call an object.
 */
#include "fuzz.h"

#include "agent/server/fold.h"
#include "base/utf8.h"

static void on_piece(void *context, enum chat_piece kind, const char *text, size_t length)
{
	size_t *sum = context;

	MUST(kind == CHAT_CONTENT || kind == CHAT_THINKING);
	MUST(utf8_is_valid(text, length));
	*sum += length;
}

/* One step for each line: its first letter says which. */
static void step(struct fold *f, char *line)
{
	auto_json struct json *value = NULL;
	struct err e = {0};
	char *rest = line[0] ? line + 1 : line;

	switch (line[0]) {
	case 't':
		fold_piece(f, CHAT_THINKING, rest, &e);
		break;
	case 'c':
		value = json_parse(rest, strlen(rest), &e);
		fold_call(f, f->call_count, "id", rest, value, &e);
		break;
	case '0':
	case '1':
	case '9':
		value = json_parse(rest, strlen(rest), &e);
		fold_call(f, (size_t)(line[0] - '0') * 8, rest, rest, value, &e);
		break;
	case 'm':
		fold_model(f, rest);
		break;
	case 'r':
		fold_reason(f, rest);
		break;
	case '!':
		fold_restart(f);
		break;
	default:
		fold_piece(f, CHAT_CONTENT, line, &e);
	}
}

static void check(const struct chat_reply *reply)
{
	const struct chat_message *m = &reply->message;

	MUST(m->content && utf8_is_valid(m->content, strlen(m->content)));
	MUST(!m->thinking || utf8_is_valid(m->thinking, strlen(m->thinking)));
	MUST(memchr(reply->done_reason, '\0', sizeof(reply->done_reason)));
	for (size_t i = 0; i < m->call_count; i++) {
		const struct chat_call *call = &m->calls[i];
		struct err e = {0};
		auto_json struct json *object =
			json_parse(call->arguments, strlen(call->arguments), &e);

		MUST(object && json_is_object(object));
		MUST(call->name && utf8_is_valid(call->name, strlen(call->name)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	size_t sum = 0;
	const struct chat_sink sink = {.piece = on_piece, .context = &sum};
	struct fold f = {.sink = &sink};
	struct chat_reply reply = {0};
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		step(&f, line);
	fold_end(&f, &reply);
	check(&reply);
	chat_reply_fini(&reply);
	fold_fini(&f);
	free(text);
	return 0;
}
