/*
 * json_put - write JSON into a buffer, by its shape or value by value, with the commas.
 */
#include "base/json_put.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

/* Whether the buffer ends in a value: a string, a bracket, a number, true, false, null. */
static bool json_put_is_after_value(const struct buf *out)
{
	return out->length && strchr("\"}]0123456789el", out->data[out->length - 1]);
}

void json_put_key(struct buf *out, const char *key)
{
	if (json_put_is_after_value(out))
		buf_add(out, ",", 1);
	if (!key)
		return;
	buf_json_text(out, key);
	buf_add(out, ":", 1);
}

void json_put_begin(struct buf *out, const char *key, char bracket)
{
	json_put_key(out, key);
	buf_add(out, &bracket, 1);
}

void json_put_end(struct buf *out, char bracket)
{
	buf_add(out, &bracket, 1);
}

void json_put_text(struct buf *out, const char *key, const char *text)
{
	json_put_key(out, key);
	buf_json_text(out, text);
}

void json_put_bytes(struct buf *out, const char *key, const void *bytes, size_t length)
{
	json_put_key(out, key);
	buf_json_string(out, bytes, length);
}

void json_put_name(struct buf *out, const char *key, const char *name)
{
	auto_buf struct buf hex_key = {0};
	auto_buf struct buf hex = {0};

	json_put_text(out, key, name);
	if (utf8_is_valid(name, strlen(name)))
		return;
	buf_printf(&hex_key, "%s_hex", key);
	for (; *name; name++)
		buf_printf(&hex, "%02x", (unsigned char)*name);
	json_put_text(out, buf_string(&hex_key), buf_string(&hex));
}

void json_put_uint(struct buf *out, const char *key, uint64_t value)
{
	json_put_key(out, key);
	buf_printf(out, "%" PRIu64, value);
}

void json_put_int(struct buf *out, const char *key, int64_t value)
{
	json_put_key(out, key);
	buf_printf(out, "%" PRId64, value);
}

void json_put_bool(struct buf *out, const char *key, bool value)
{
	json_put_key(out, key);
	buf_text(out, value ? "true" : "false");
}

void json_put_null(struct buf *out, const char *key)
{
	json_put_text(out, key, NULL);
}

/* -- by its shape ---------------------------------------------------------------------------- */

struct json_put_values {
	va_list list;
};

/* How many l or z a number has: how wide it is. */
static int64_t json_put_signed(struct json_put_values *v, size_t width)
{
	return width == 0   ? va_arg(v->list, int)
	       : width == 1 ? va_arg(v->list, long)
			    : va_arg(v->list, long long);
}

static uint64_t json_put_unsigned(struct json_put_values *v, size_t width)
{
	return width == 0   ? va_arg(v->list, unsigned)
	       : width == 1 ? va_arg(v->list, unsigned long)
			    : va_arg(v->list, unsigned long long);
}

static void json_put_node(struct buf *out, const struct json *node)
{
	json_put_key(out, NULL);
	if (node)
		json_write(node, out);
	else
		buf_text(out, "null");
}

static void json_put_some(struct buf *out, struct json_put_values *v)
{
	const int length = va_arg(v->list, int);

	json_put_bytes(out, NULL, va_arg(v->list, const char *), (size_t)length);
}

/* @at: behind the per cent sign. Returns the end of the conversion. */
static const char *json_put_value(struct buf *out, const char *at, struct json_put_values *v)
{
	const size_t width = strspn(at, "lz");

	at += width;
	switch (*at) {
	case 's':
		json_put_text(out, NULL, va_arg(v->list, const char *));
		break;
	case 'd':
		json_put_int(out, NULL, json_put_signed(v, width));
		break;
	case 'u':
		json_put_uint(out, NULL, json_put_unsigned(v, width));
		break;
	case 'i':
		json_put_bool(out, NULL, va_arg(v->list, int));
		break;
	case 'p':
		json_put_node(out, va_arg(v->list, const struct json *));
		break;
	default: /* .*s */
		json_put_some(out, v);
		return at + 3;
	}
	return at + 1;
}

/* A key, a number, true, false or null. */
static const char *json_put_word(struct buf *out, const char *at)
{
	const size_t length = strcspn(at, " ,:{}[]%");

	json_put_key(out, NULL);
	if (at[length] == ':')
		buf_json_string(out, at, length);
	else
		buf_add(out, at, length);
	return at + length;
}

static const char *json_put_quoted(struct buf *out, const char *at)
{
	const size_t length = strcspn(at, "'");

	json_put_bytes(out, NULL, at, length);
	return at + length + 1;
}

void json_put(struct buf *out, const char *shape, ...)
{
	struct json_put_values values;

	va_start(values.list, shape);
	for (const char *at = shape; *at;) {
		const char c = *at++;

		if (c == '{' || c == '[')
			json_put_begin(out, NULL, c);
		else if (c == '}' || c == ']' || c == ':')
			json_put_end(out, c);
		else if (c == '%')
			at = json_put_value(out, at, &values);
		else if (c == '\'')
			at = json_put_quoted(out, at);
		else if (c != ' ' && c != ',')
			at = json_put_word(out, at - 1);
	}
	va_end(values.list);
}
