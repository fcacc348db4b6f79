/*
 * call_code - find the code in the arguments of a call.
 */
#include "agent/reply/call_code.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/data/model.h"
#include "agent/data/python_lexer.h"
#include "agent/data/tag.h"
#include "agent/data/text.h"
#include "agent/reply/call_text.h"
#include "agent/reply/loose_json.h"
#include "base/buf.h"
#include "base/json_escape.h"
#include "base/own.h"

static const char *call_code_bare_name(const char *name)
{
	return strncmp(name, "functions.", 10) ? name : name + 10;
}

bool call_name_is_ours(const char *name)
{
	return !strcasecmp(call_code_bare_name(name), TOOL_NAME);
}

bool call_name_is_answer(const char *name)
{
	size_t length = strlen(call_code_bare_name(name));

	return length && tag_answer_words(call_code_bare_name(name), length) == length;
}

struct json *call_json(const char *text, size_t length, size_t *used)
{
	auto_buf struct buf strict = {0};
	struct err ignored;
	struct json *document;

	*used = loose_json(text, length, &strict);
	if (!*used)
		return NULL;
	json_repair(strict.data, strict.length);
	document = json_parse(buf_string(&strict), strict.length, &ignored);
	if (!document)
		*used = 0;
	return document;
}

/*
 * Return the text of a string, of a list of lines, or of {"type": "string", "value": ...}. Owned.
 */
static char *call_code_text_of(const struct json *value)
{
	struct buf text = {0};

	if (json_is_object(value))
		value = json_get(value, "value");
	if (!json_is_array(value))
		return own_strdup(json_string(value));
	for (const struct json *line = json_first(value); line; line = json_next(line)) {
		if (!json_string(line)) {
			buf_fini(&text);
			return NULL;
		}
		buf_text(&text, json_string(line));
		if (json_next(line))
			buf_text(&text, "\n");
	}
	return buf_take(&text);
}

/* Models give the code many names: take the only string that can be it. */
static char *call_code_only_string(const struct json *object)
{
	/* Names of strings that are not the code; an unrecognised call has some of them. */
	static const char others[] = " description name tool action type function id language ";
	const struct json *found = NULL;

	for (const struct json *n = json_first(object); n; n = json_next(n)) {
		const char *key = json_key(n);

		if (!json_string(n) || !key || text_is_listed(others, key, strlen(key)))
			continue;
		if (found)
			return NULL;
		found = n;
	}
	return found ? call_code_text_of(found) : NULL;
}

/* Whether "\n" stands for a line break: outside strings Python has no such sequence. */
static bool call_code_is_escaped_twice(const char *code)
{
	struct python_at at = {0};
	size_t length = strlen(code);

	if (memchr(code, '\n', length))
		return false;
	for (size_t i = 0; i < length; i += python_step(&at, code + i, length - i))
		if (python_in_code(&at) && code[i] == '\\' && code[i + 1] == 'n')
			return true;
	return false;
}

/* Read a string: the code itself, or an object written as a string. */
static char *call_code_of_string(const char *text, char **description)
{
	size_t blank = strspn(text, " \t\n");
	size_t used;
	auto_json struct json *inner =
		text[blank] == '{' ? call_json(text + blank, strlen(text + blank), &used) : NULL;
	char *code = inner && json_is_object(inner) ? call_code(inner, description) : NULL;

	return code ? code : own_strdup(text);
}

char *call_code(const struct json *arguments, char **description)
{
	char *code;

	if (json_string(arguments))
		return call_code_of_string(json_string(arguments), description);
	code = call_code_text_of(json_get(arguments, "code"));
	if (!code)
		code = call_code_only_string(arguments);
	if (code && !*description)
		*description = call_code_text_of(json_get(arguments, "description"));
	if (code && call_code_is_escaped_twice(code)) { /* "import x\\nprint(1)" */
		char *unescaped = call_text_unescape(code, strlen(code));

		free(code);
		return unescaped;
	}
	return code;
}

char *call_answer(const struct json *arguments)
{
	const struct json *value = arguments;
	auto_json struct json *inner = NULL;
	struct buf text = {0};
	size_t used;

	if (json_string(value) && *json_string(value) == '{') {
		inner = call_json(json_string(value), strlen(json_string(value)), &used);
		value = inner ? inner : value;
	}
	if (json_is_object(value))
		value = json_get(value, "answer") ? json_get(value, "answer")
			: json_count(value) == 1  ? json_first(value)
						  : NULL;
	if (!value)
		return NULL;
	if (json_string(value))
		return own_strdup(json_string(value));
	json_write(value, &text);
	return buf_take(&text);
}
