/*
 * answer - what a session's interpreter answered, as an execution.
 */
#include "agent/run/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/own.h"

#define TEXT "text/plain"

/* The getters take members of objects only: everything else has none. */
static const struct json *member(const struct json *node, const char *key)
{
	return node && json_is_object(node) ? json_get(node, key) : NULL;
}

static const char *text_of(const struct json *bundle)
{
	const struct json *text = member(bundle, TEXT);

	return text ? json_string(text) : NULL;
}

static void add_displays(const struct json *displays, struct execution *x)
{
	if (!displays || !json_is_array(displays))
		return;
	for (const struct json *n = json_first(displays); n; n = json_next(n)) {
		if (!text_of(n) || !*text_of(n))
			continue;
		buf_text(&x->output[0], text_of(n));
		buf_text(&x->output[0], "\n");
	}
}

static char *join_lines(const struct json *lines)
{
	auto_buf struct buf text = {0};

	if (!lines || !json_is_array(lines))
		return NULL;
	for (const struct json *n = json_first(lines); n; n = json_next(n)) {
		if (json_string(n))
			buf_text(&text, json_string(n));
	}
	return text.length ? buf_take(&text) : NULL;
}

static void read_error(const struct json *error, struct execution *x)
{
	auto_buf struct buf text = {0};
	const struct json *name = member(error, "name");
	const struct json *value = member(error, "value");

	x->verdict = EXECUTION_ERROR;
	x->exit_code = 1;
	x->traceback = join_lines(member(error, "traceback"));
	if (x->traceback)
		return;
	buf_text(&text, name && json_string(name) ? json_string(name) : "Exception");
	if (value && json_string(value) && *json_string(value)) {
		buf_text(&text, ": ");
		buf_text(&text, json_string(value));
	}
	buf_text(&text, "\n");
	x->traceback = buf_take(&text);
}

void answer_read(const struct json *answer, struct execution *x)
{
	const struct json *status = member(answer, "status");
	const char *word = status ? json_string(status) : NULL;
	const char *value = text_of(member(answer, "value"));
	uint64_t code = 1;

	add_displays(member(answer, "displays"), x);
	if (value)
		x->value = own_strdup(value);
	if (word && !strcmp(word, "ok")) {
		x->verdict = EXECUTION_OK;
		x->exit_code = 0;
	} else if (word && !strcmp(word, "exit")) {
		if (member(answer, "exit_code") && json_number(member(answer, "exit_code"), &code))
			code = 1;
		x->verdict = EXECUTION_EXIT;
		x->exit_code = (int)(code & 0xff);
	} else {
		read_error(member(answer, "error"), x);
	}
}
