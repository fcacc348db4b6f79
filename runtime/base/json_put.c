/*
 * json_put - write JSON value by value into a buffer, with the commas.
 */
#include "base/json_put.h"

#include <inttypes.h>
#include <string.h>

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
