/*
 * connect - the messages of E2B's envd.
 */
#include "e2b/connect.h"

#include <string.h>

#include "base/json_put.h"
#include "base/json_strict.h"
#include "base/parse.h"

#define JSON        "application/json"
#define VALUES_MAX  10000 /* in one message */
#define TIMEOUT_MAX (24 * 3600 * 1000ll)

static const struct {
	const char *name;
	unsigned status;
} connect_codes[] = {
	[CONNECT_INVALID] = {"invalid_argument",   400},
	[CONNECT_NOT_FOUND] = {"not_found",          404},
	[CONNECT_EXISTS] = {"already_exists",     409},
	[CONNECT_DENIED] = {"permission_denied",  403},
	[CONNECT_EXHAUSTED] = {"resource_exhausted", 429},
	[CONNECT_UNIMPLEMENTED] = {"unimplemented",      501},
	[CONNECT_UNAVAILABLE] = {"unavailable",        503},
	[CONNECT_LATE] = {"deadline_exceeded",  504},
	[CONNECT_INTERNAL] = {"internal",           500},
};

enum connect_code connect_code_of(const struct err *e)
{
	switch (e->kind) {
	case ERR_INPUT:
		return CONNECT_INVALID;
	case ERR_NOT_FOUND:
		return CONNECT_NOT_FOUND;
	case ERR_EXISTS:
		return CONNECT_EXISTS;
	case ERR_DENIED:
		return CONNECT_DENIED;
	case ERR_LIMIT:
	case ERR_BUSY:
		return CONNECT_EXHAUSTED;
	case ERR_UNSUPPORTED:
		return CONNECT_UNIMPLEMENTED;
	case ERR_GONE:
		return CONNECT_UNAVAILABLE;
	default:
		return CONNECT_INTERNAL;
	}
}

/* -- what clients send ----------------------------------------------------------------------- */

struct json *connect_parse(const char *text, size_t length)
{
	struct err e;
	struct json *message = json_check_strict(text, length, VALUES_MAX, &e)
				       ? NULL
				       : json_parse(text, length, &e);

	if (json_is_object(message))
		return message;
	json_free(message);
	return NULL;
}

struct json *connect_read(struct request *r)
{
	struct json *message = connect_parse(buf_string(&r->body), r->body.length);

	if (message)
		return message;
	connect_refuse(r, CONNECT_INVALID, "the body must be a JSON object");
	return NULL;
}

static uint32_t connect_length(const char *head)
{
	const unsigned char *b = (const unsigned char *)head + 1;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

int connect_take(struct buf *in, struct json **message)
{
	uint32_t length;

	*message = NULL;
	if (in->length < CONNECT_HEAD)
		return 0;
	length = connect_length(in->data);
	if (length > CONNECT_MOST)
		return -1;
	if (in->length - CONNECT_HEAD < length)
		return 0;
	if (!in->data[0])
		*message = connect_parse(in->data + CONNECT_HEAD, length);
	if (!*message)
		return -1;
	in->length -= CONNECT_HEAD + length;
	memmove(in->data, in->data + CONNECT_HEAD + length, in->length);
	return 1;
}

struct json *connect_read_stream(struct request *r)
{
	struct json *message;

	if (connect_take(&r->body, &message) == 1)
		return message;
	connect_refuse_stream(r, CONNECT_INVALID, "the body begins with no message");
	return NULL;
}

uint64_t connect_timeout_ms(const struct request *r)
{
	const char *text = request_header(r, "connect-timeout-ms");
	int64_t ms = 0;
	struct err ignored;

	return text && !parse_int(text, 1, TIMEOUT_MAX, &ms, &ignored) ? (uint64_t)ms : 0;
}

/* -- what they get --------------------------------------------------------------------------- */

void connect_put(struct buf *out, uint8_t flags, const struct buf *json)
{
	const uint32_t n = (uint32_t)json->length;
	const unsigned char head[CONNECT_HEAD] = {flags, (unsigned char)(n >> 24),
						  (unsigned char)(n >> 16), (unsigned char)(n >> 8),
						  (unsigned char)n};

	buf_add(out, head, sizeof(head));
	buf_add(out, json->data, json->length);
}

void connect_put_end(struct buf *out, enum connect_code code, const char *message)
{
	auto_buf struct buf json = {0};

	if (message)
		json_put(&json, "{error:{code:%s, message:%s}}", connect_codes[code].name, message);
	else
		buf_text(&json, "{}");
	connect_put(out, CONNECT_END, &json);
}

void connect_reply(struct request *r, struct buf *json)
{
	request_reply(r, 200, JSON, json);
}

void connect_refuse(struct request *r, enum connect_code code, const char *message)
{
	auto_buf struct buf body = {0};

	json_put(&body, "{code:%s, message:%s}", connect_codes[code].name, message);
	request_reply(r, connect_codes[code].status, JSON, &body);
}

void connect_refuse_stream(struct request *r, enum connect_code code, const char *message)
{
	auto_buf struct buf body = {0};

	connect_put_end(&body, code, message);
	request_reply(r, 200, CONNECT_STREAM, &body);
}
