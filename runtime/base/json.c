/*
 * json - typed reading of JSON documents; the only user of cJSON.
 */
#include "base/json.h"

#include <cjson/cJSON.h>
#include <string.h>

/* struct json is cJSON seen through our names: the cast stays in this file. */
static const cJSON *in(const struct json *node)
{
	return (const cJSON *)node;
}

static const struct json *out_of(const cJSON *node)
{
	return (const struct json *)node;
}

/* cJSON recurses; its own bound (1,000) is more than our documents need. */
static bool too_deep(const char *text, size_t length)
{
	bool quoted = false;
	int depth = 0;

	for (size_t i = 0; i < length; i++) {
		if (quoted) {
			if (text[i] == '\\')
				i++;
			else if (text[i] == '"')
				quoted = false;
			continue;
		}
		if (text[i] == '"')
			quoted = true;
		else if (text[i] == '[' || text[i] == '{')
			depth++;
		else if (text[i] == ']' || text[i] == '}')
			depth--;
		if (depth > 64)
			return true;
	}
	return false;
}

struct json *json_parse(const char *text, size_t length, struct err *e)
{
	const char *end = NULL;
	cJSON *document;
	size_t line = 1;

	if (memchr(text, '\0', length) || memmem(text, length, "\\u0000", 6)) {
		err_input(e, "JSON contains a NUL character");
		return NULL;
	}
	if (too_deep(text, length)) {
		err_input(e, "JSON is nested deeper than 64 levels");
		return NULL;
	}
	document = cJSON_ParseWithLengthOpts(text, length, &end, 0);
	while (document && end < text + length && strchr(" \t\r\n", *end))
		end++;
	if (document && end == text + length)
		return (struct json *)document;
	for (const char *p = text; end && p < end && p < text + length; p++)
		line += *p == '\n';
	cJSON_Delete(document);
	err_input(e, "not valid JSON (line %zu)", line);
	return NULL;
}

void json_free(struct json *document)
{
	cJSON_Delete((cJSON *)document);
}

const struct json *json_get(const struct json *object, const char *key)
{
	const cJSON *node = cJSON_GetObjectItemCaseSensitive(in(object), key);

	return cJSON_IsNull(node) ? NULL : out_of(node);
}

size_t json_count(const struct json *array)
{
	return json_is_array(array) || json_is_object(array) ? (size_t)cJSON_GetArraySize(in(array))
							     : 0;
}

const struct json *json_first(const struct json *container)
{
	return container ? out_of(in(container)->child) : NULL;
}

const struct json *json_next(const struct json *node)
{
	return out_of(in(node)->next);
}

const char *json_key(const struct json *node)
{
	return in(node)->string;
}

bool json_is_object(const struct json *node)
{
	return cJSON_IsObject(in(node));
}

bool json_is_array(const struct json *node)
{
	return cJSON_IsArray(in(node));
}

const char *json_string(const struct json *node)
{
	return cJSON_GetStringValue(in(node));
}

bool json_is_true(const struct json *node)
{
	return cJSON_IsTrue(in(node));
}

int json_number(const struct json *node, uint64_t *out)
{
	double value;

	if (!cJSON_IsNumber(in(node)))
		return -1;
	value = in(node)->valuedouble;
	if (!(value >= 0 && value <= 9007199254740992.0) || value != (double)(uint64_t)value)
		return -1;
	*out = (uint64_t)value;
	return 0;
}

int json_get_string(const struct json *object, const char *key, const char **out, struct err *e)
{
	const struct json *node = json_get(object, key);

	if (!node)
		return 0;
	if (!json_string(node))
		return err_input(e, "\"%s\" must be a string", key);
	*out = json_string(node);
	return 0;
}

int json_get_bool(const struct json *object, const char *key, bool *out, struct err *e)
{
	const struct json *node = json_get(object, key);

	if (!node)
		return 0;
	if (!cJSON_IsBool(in(node)))
		return err_input(e, "\"%s\" must be true or false", key);
	*out = json_is_true(node);
	return 0;
}

int json_get_uint(const struct json *object, const char *key, uint64_t *out, struct err *e)
{
	const struct json *node = json_get(object, key);

	if (!node)
		return 0;
	if (json_number(node, out))
		return err_input(e, "\"%s\" must be a whole number, 0 or more", key);
	return 0;
}

int json_get_array(const struct json *object, const char *key, const struct json **out,
		   struct err *e)
{
	const struct json *node = json_get(object, key);

	if (!node)
		return 0;
	if (!json_is_array(node))
		return err_input(e, "\"%s\" must be a list", key);
	*out = node;
	return 0;
}
