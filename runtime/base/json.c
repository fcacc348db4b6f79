/*
 * json - typed reading of JSON documents, and writing them; the only user of cJSON.
 */
#include "base/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_escape.h"
#include "base/own.h"

/* struct json is cJSON seen through our names: the cast stays in this file. */
static const cJSON *json_in(const struct json *node)
{
	return (const cJSON *)node;
}

static const struct json *json_out_of(const cJSON *node)
{
	return (const struct json *)node;
}

/* cJSON recurses; its own bound (1,000) is more than our documents need. */
static bool json_too_deep(const char *text, size_t length)
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

static void *json_allocate(size_t size)
{
	return own_resize(NULL, 1, size);
}

struct json *json_parse(const char *text, size_t length, struct err *e)
{
	cJSON_Hooks memory = {json_allocate, free};
	const char *end = NULL;
	cJSON *document;
	size_t line = 1;

	if (!length)
		text = ""; /* an empty buffer's data may be NULL */
	if (memchr(text, '\0', length) || json_has_nul_escape(text, length)) {
		err_input(e, "JSON contains a NUL character");
		return NULL;
	}
	if (json_too_deep(text, length)) {
		err_input(e, "JSON is nested deeper than 64 levels");
		return NULL;
	}
	cJSON_InitHooks(&memory); /* out of memory aborts: it is not invalid JSON */
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

/* -- in place ------------------------------------------------------------------------------- */

/* json_check_strict() has passed the text: every string and container is closed. */
struct place {
	char *p;
	char *end;
};

static cJSON *json_take_value(struct place *x);

static void json_skip_space(struct place *x)
{
	while (x->p < x->end && strchr(" \t\r\n", *x->p))
		x->p++;
}

static void json_take_member(struct place *x, cJSON *container)
{
	char *key = cJSON_IsObject(container) ? json_unescape(&x->p, x->end) : NULL;
	cJSON *value;

	json_skip_space(x);
	x->p += key != NULL; /* the colon */
	json_skip_space(x);
	value = json_take_value(x);
	if (value && key) {
		value->string = key;
		value->type |= cJSON_StringIsConst;
	}
	cJSON_AddItemToArray(container, value);
	json_skip_space(x);
}

/* Recurses as deep as json_check_strict() allows. */
static cJSON *json_take_container(struct place *x)
{
	cJSON *container = *x->p++ == '{' ? cJSON_CreateObject() : cJSON_CreateArray();

	json_skip_space(x);
	while (x->p < x->end && !strchr("]}", *x->p)) {
		json_take_member(x, container);
		x->p += x->p < x->end && *x->p == ',';
		json_skip_space(x);
	}
	x->p++;
	return container;
}

static cJSON *json_take_value(struct place *x)
{
	const char *begin = x->p;

	if (*x->p == '"')
		return cJSON_CreateStringReference(json_unescape(&x->p, x->end));
	if (strchr("{[", *x->p))
		return json_take_container(x);
	while (x->p < x->end && !strchr(",]} \t\r\n", *x->p))
		x->p++;
	return cJSON_ParseWithLength(begin, (size_t)(x->p - begin));
}

struct json *json_parse_in_place(char *text, size_t length)
{
	cJSON_Hooks memory = {json_allocate, free};
	struct place x;

	x.p = text;
	x.end = text + length;
	cJSON_InitHooks(&memory);
	json_skip_space(&x);
	return (struct json *)json_take_value(&x);
}

void json_free(struct json *document)
{
	cJSON_Delete((cJSON *)document);
}

const struct json *json_get(const struct json *object, const char *key)
{
	const cJSON *node = cJSON_GetObjectItemCaseSensitive(json_in(object), key);

	return cJSON_IsNull(node) ? NULL : json_out_of(node);
}

size_t json_count(const struct json *array)
{
	return json_is_array(array) || json_is_object(array)
		       ? (size_t)cJSON_GetArraySize(json_in(array))
		       : 0;
}

const struct json *json_first(const struct json *container)
{
	return container ? json_out_of(json_in(container)->child) : NULL;
}

const struct json *json_next(const struct json *node)
{
	return json_out_of(json_in(node)->next);
}

const char *json_key(const struct json *node)
{
	return json_in(node)->string;
}

bool json_is_object(const struct json *node)
{
	return cJSON_IsObject(json_in(node));
}

bool json_is_array(const struct json *node)
{
	return cJSON_IsArray(json_in(node));
}

const char *json_string(const struct json *node)
{
	return cJSON_GetStringValue(json_in(node));
}

bool json_is_true(const struct json *node)
{
	return cJSON_IsTrue(json_in(node));
}

bool json_is_null(const struct json *node)
{
	return cJSON_IsNull(json_in(node));
}

bool json_is_bool(const struct json *node)
{
	return cJSON_IsBool(json_in(node));
}

int json_double(const struct json *node, double *out)
{
	if (!cJSON_IsNumber(json_in(node)) || !isfinite(json_in(node)->valuedouble))
		return -1;
	*out = json_in(node)->valuedouble;
	return 0;
}

int json_number(const struct json *node, uint64_t *out)
{
	double value;

	if (!cJSON_IsNumber(json_in(node)))
		return -1;
	value = json_in(node)->valuedouble;
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

const char *json_string_at(const struct json *object, const char *key)
{
	const struct json *node = json_get(object, key);

	return node ? json_string(node) : NULL;
}

const char *json_text_at(const struct json *object, const char *key)
{
	const char *text = object ? json_string_at(object, key) : NULL;

	return text ? text : "";
}

uint64_t json_uint_at(const struct json *object, const char *key, uint64_t otherwise)
{
	const struct json *node = json_get(object, key);
	uint64_t number = otherwise;

	if (node)
		json_number(node, &number);
	return number;
}

void json_write_number(double value, struct buf *out)
{
	char text[40];

	if (!isfinite(value))
		value = 0;
	snprintf(text, sizeof(text), "%.15g", value);
	if (strtod(text, NULL) != value)
		snprintf(text, sizeof(text), "%.17g", value);
	for (char *p = text; *p; p++)
		if (!strchr("0123456789+-e", *p))
			*p = '.';
	buf_text(out, text);
}

/* Recurses as deep as json_parse() allows. */
void json_write(const struct json *node, struct buf *out)
{
	bool object = json_is_object(node);
	const char *between = "";

	if (json_string(node)) {
		buf_json_text(out, json_string(node));
	} else if (cJSON_IsNumber(json_in(node))) {
		json_write_number(json_in(node)->valuedouble, out);
	} else if (object || json_is_array(node)) {
		buf_text(out, object ? "{" : "[");
		for (const struct json *n = json_first(node); n; n = json_next(n)) {
			buf_text(out, between);
			if (object)
				buf_json_text(out, json_key(n));
			if (object)
				buf_text(out, ":");
			json_write(n, out);
			between = ",";
		}
		buf_text(out, object ? "}" : "]");
	} else {
		buf_text(out, cJSON_IsNull(json_in(node)) ? "null"
			      : json_is_true(node)        ? "true"
							  : "false");
	}
}
