/*
 * mime - representations of a value (rootfs/guest/display.py), as clients of a notebook read them.
 */
#include "kernel/mime.h"

#include <string.h>

#include "base/json_put.h"
#include "base/json_strict.h"

#define VALUES_MAX 4000000 /* in one value as JSON: it is checked, not parsed */

static bool mime_is_json(const char *type)
{
	const size_t length = strlen(type);

	return !strcmp(type, "application/json") ||
	       (length > 5 && !strcmp(type + length - 5, "+json"));
}

/* The session has JSON as text; clients want it as it is, and nothing in it is lost by parsing. */
static void mime_put_json(const char *type, const char *text, struct buf *out)
{
	struct err ignored;

	if (json_check_strict(text, strlen(text), VALUES_MAX, &ignored)) {
		json_put_text(out, type, text);
		return;
	}
	json_put_key(out, type);
	buf_text(out, text);
}

void mime_put(const struct json *bundle, struct buf *out)
{
	const bool is_object = bundle && json_is_object(bundle);

	json_put_begin(out, "data", '{');
	for (const struct json *n = is_object ? json_first(bundle) : NULL; n; n = json_next(n)) {
		const char *text = json_string(n);

		if (!text || !strchr(json_key(n), '/'))
			continue;
		if (mime_is_json(json_key(n)))
			mime_put_json(json_key(n), text, out);
		else
			json_put_text(out, json_key(n), text);
	}
	json_put_end(out, '}');
	if (is_object && *json_text_at(bundle, "metadata") == '{')
		mime_put_json("metadata", json_text_at(bundle, "metadata"), out);
	else
		json_put(out, "metadata:{}");
}

void mime_put_left_out(const struct json *bundle, struct buf *out)
{
	const bool is_object = bundle && json_is_object(bundle);
	const char *dropped = is_object ? json_string_at(bundle, "dropped") : NULL;
	const char *error = is_object ? json_string_at(bundle, "error") : NULL;

	if (dropped)
		buf_printf(out, "glovebox: left out: %s\n", dropped);
	if (error)
		buf_printf(out, "glovebox: not drawn: %s\n", error);
}

void mime_put_lines(const struct json *lines, struct buf *out)
{
	const bool is_list = lines && json_is_array(lines);

	buf_text(out, "[");
	for (const struct json *n = is_list ? json_first(lines) : NULL; n; n = json_next(n)) {
		const char *line = json_string(n);
		size_t length = line ? strlen(line) : 0;

		if (length && line[length - 1] == '\n')
			length--;
		json_put_bytes(out, NULL, line ? line : "", length);
	}
	buf_text(out, "]");
}
