/*
 * json_span - find a value in a JSON text, as its sender wrote it.
 */
#include "base/json_span.h"

#include <string.h>

static const char *json_span_skip_space(const char *p, const char *end)
{
	while (p < end && strchr(" \t\r\n", *p))
		p++;
	return p;
}

/* Return what follows the string at p. */
static const char *json_span_skip_string(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\';
	return p < end ? p + 1 : end;
}

/* Return what follows the value at p: after its closing bracket, or the end of a plain one. */
static const char *json_span_skip_value(const char *p, const char *end)
{
	unsigned depth = 0;

	do {
		if (p < end && *p == '"')
			p = json_span_skip_string(p, end);
		else if (p < end && strchr("[{", *p))
			depth++, p++;
		else if (p < end && strchr("]}", *p))
			depth--, p++;
		else if (p < end && strchr(",: \t\r\n", *p))
			p++;
		else
			while (p < end && !strchr(",:]} \t\r\n", *p))
				p++;
	} while (depth && p < end);
	return p;
}

static struct json_span json_span_value_at(const char *p, const char *end)
{
	const char *begin = json_span_skip_space(p, end);

	if (begin == end)
		return (struct json_span){0};
	return (struct json_span){begin, (size_t)(json_span_skip_value(begin, end) - begin)};
}

struct json_span json_span_of(const char *text, size_t length)
{
	return json_span_value_at(text, text + length);
}

static bool json_span_begins_with(struct json_span s, char bracket)
{
	return s.text && s.length >= 2 && *s.text == bracket;
}

/* The value at p, or after the comma or colon there; none at the end of the container. */
static struct json_span json_span_behind(struct json_span container, const char *p)
{
	const char *end = container.text + container.length - 1;

	p = json_span_skip_space(p, end);
	return json_span_value_at(p < end && strchr(",:", *p) ? p + 1 : p, end);
}

struct json_span json_span_next(struct json_span array, struct json_span after)
{
	if (!json_span_begins_with(array, '['))
		return (struct json_span){0};
	return json_span_behind(array, after.text ? after.text + after.length : array.text + 1);
}

struct json_span json_span_member(struct json_span object, const char *key)
{
	size_t length = strlen(key);
	const char *p;

	if (!json_span_begins_with(object, '{'))
		return (struct json_span){0};
	p = object.text + 1;
	for (;;) {
		struct json_span name = json_span_behind(object, p);
		struct json_span value;

		if (!name.text)
			return name;
		value = json_span_behind(object, name.text + name.length);
		if (name.length == length + 2 && !memcmp(name.text + 1, key, length))
			return value;
		p = value.text ? value.text + value.length : object.text + object.length - 1;
	}
}
