/*
 * call_code - the code in the arguments of a call.
 */
#include "agent/reply/call_code.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/data/model.h"
#include "agent/data/python_lexer.h"
#include "agent/reply/loose_json.h"
#include "base/buf.h"
#include "base/own.h"

/* Models' names for the code argument, the best first. */
static const char *const code_names[] = {
	"code", "source",  "source_code", "python",  "python_script",
	"cmd",  "command", "query",       "content",
};

/* Strings beside the code that never are code. */
static const char *const other_names[] = {
	"description", "name",  "tool",   "tool_name", "action", "type",   "function",    "id",
	"language",    "title", "reason", "purpose",   "lang",   "status", "explanation",
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

bool call_name_is_ours(const char *name)
{
	const char *dot = strchr(name, '.');

	if (dot && !strncmp(name, "functions.", (size_t)(dot - name) + 1))
		name = dot + 1;
	return !strcasecmp(name, TOOL_NAME);
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

static bool call_code_is_one_of(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; name && i < count; i++)
		if (!strcasecmp(name, list[i]))
			return true;
	return false;
}

/* A string, lines in a list, or {"type": "string", "value": ...} as in the schema. Owned. */
static char *call_code_text_of(const struct json *value)
{
	struct buf text = {0};

	if (json_is_object(value))
		value = json_get(value, "value");
	if (!value)
		return NULL;
	if (json_string(value))
		return own_strdup(json_string(value));
	if (!json_is_array(value) || !json_count(value))
		return NULL;
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

static char *call_code_only_string(const struct json *object)
{
	const struct json *found = NULL;

	for (const struct json *n = json_first(object); n; n = json_next(n)) {
		if (!json_string(n) ||
		    call_code_is_one_of(json_key(n), other_names, COUNT_OF(other_names)))
			continue;
		if (found)
			return NULL;
		found = n;
	}
	return found ? call_code_text_of(found) : NULL;
}

/* A backslash and an n instead of a line break: outside strings Python has no such thing. */
static bool call_code_is_escaped_twice(const char *code)
{
	struct python_at at = {0};
	size_t length = strlen(code);

	if (memchr(code, '\n', length))
		return false;
	for (size_t i = 0; i < length; i += python_step(&at, code + i, length - i))
		if (python_in_code(&at) && code[i] == '\\' &&
		    (code[i + 1] == 'n' || code[i + 1] == '"'))
			return true;
	return false;
}

/* Code that was escaped once too often ("import x\\nprint(1)"), unescaped; in place. */
static void call_code_unescape(char *code)
{
	char *to = code;

	if (!call_code_is_escaped_twice(code))
		return;
	for (const char *from = code; *from; from++) {
		if (from[0] != '\\' || !from[1]) {
			*to++ = *from;
			continue;
		}
		from++;
		if (*from == 'n' || *from == 't')
			*to++ = *from == 'n' ? '\n' : '\t';
		else if (strchr("\"'\\", *from))
			*to++ = *from;
		else {
			*to++ = '\\';
			*to++ = *from;
		}
	}
	*to = '\0';
}

/* A string is the code itself, or an object written as a string. */
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
	char *code = NULL;

	if (json_string(arguments))
		return call_code_of_string(json_string(arguments), description);
	for (size_t i = 0; i < COUNT_OF(code_names) && !code; i++) {
		const struct json *value = json_get(arguments, code_names[i]);

		code = value ? call_code_text_of(value) : NULL;
	}
	if (!code)
		code = call_code_only_string(arguments);
	if (code && !*description && json_get(arguments, "description"))
		*description = call_code_text_of(json_get(arguments, "description"));
	if (code)
		call_code_unescape(code);
	return code;
}
