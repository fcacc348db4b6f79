/*
 * answer - replies in the Engine's form.
 */
#include "engine/answer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json_put.h"
#include "base/list.h"
#include "base/own.h"

void answer_json(struct request *r, unsigned status, struct buf *body)
{
	buf_text(body, "\n");
	request_reply(r, status, ANSWER_JSON, body);
}

void answer_nothing(struct request *r, unsigned status)
{
	request_reply(r, status, NULL, NULL);
}

void answer_only(struct request *r, unsigned status, const struct buf *printed)
{
	const char *text = buf_string(printed);
	const char *begin = strchr(text, '{');
	const char *end = strrchr(text, '}');
	struct buf body = {0};

	if (begin && end)
		buf_add(&body, begin, (size_t)(end - begin) + 1);
	answer_json(r, status, &body);
}

void answer_same(struct request *r, const struct verb_result *result, void *data)
{
	struct buf body = {0};

	(void)data;
	buf_add(&body, result->output[0].data, result->output[0].length);
	request_reply(r, 200, ANSWER_JSON, &body);
}

void answer_one(struct request *r, const struct verb_result *result, void *data)
{
	(void)data;
	answer_only(r, 200, &result->output[0]);
}

void answer_id(struct request *r, const struct verb_result *result, void *data)
{
	auto_free char *id = answer_line(result);
	struct buf body = {0};

	(void)data;
	json_put(&body, "{Id:%s}", id);
	answer_json(r, 201, &body);
}

char *answer_line(const struct verb_result *result)
{
	const char *text = buf_string(&result->output[0]);

	return own_strndup(text, strcspn(text, "\n"));
}

void answer_put_lines(const char *key, const struct buf *printed, struct buf *out)
{
	auto_list struct list lines = {0};

	list_add_lines(&lines, buf_string(printed));
	list_put(&lines, out, key);
}

static unsigned answer_status(enum err_kind kind)
{
	switch (kind) {
	case ERR_INPUT:
	case ERR_USAGE:
	case ERR_UNSUPPORTED:
	case ERR_DENIED:
	case ERR_LIMIT:
		return 400;
	case ERR_NOT_FOUND:
		return 404;
	case ERR_EXISTS:
	case ERR_BUSY:
	case ERR_GONE:
		return 409;
	default:
		return 500;
	}
}

void answer_error(struct request *r, const struct err *e)
{
	char text[sizeof(e->text) + 100];

	request_refuse(r, answer_status(e->kind), "%s", err_string(e, text, sizeof(text)));
}

bool answer_find(struct request *r, struct record *out)
{
	struct err e;

	if (!record_find(r->segments[0], out, &e))
		return true;
	if (e.kind == ERR_NOT_FOUND)
		request_refuse(r, 404, "No such container: %s", r->segments[0]);
	else
		answer_error(r, &e);
	return false;
}

struct json *answer_body(struct request *r)
{
	const bool empty = !r->body.length;
	struct err e;
	struct json *document =
		empty ? json_parse("{}", 2, &e) : json_parse(r->body.data, r->body.length, &e);

	if (document && json_is_object(document))
		return document;
	json_free(document);
	request_refuse(r, 400, "the body is not a JSON object");
	return NULL;
}

const struct json *answer_member(const struct json *object, const char *name)
{
	const struct json *found = NULL;

	for (const struct json *m = object ? json_first(object) : NULL; m; m = json_next(m)) {
		if (json_key(m) && !strcasecmp(json_key(m), name))
			found = m;
	}
	return found && !json_is_null(found) ? found : NULL;
}

const char *answer_member_text(const struct json *object, const char *name)
{
	const struct json *member = answer_member(object, name);
	const char *text = member ? json_string(member) : NULL;

	return text ? text : "";
}

bool answer_member_is_true(const struct json *object, const char *name)
{
	const struct json *member = answer_member(object, name);

	return member && json_is_true(member);
}
