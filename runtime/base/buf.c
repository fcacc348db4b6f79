/*
 * buf - a growing byte buffer with a cap; writes text and JSON.
 */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/utf8.h"

void buf_fini(struct buf *b)
{
	free(b->data);
	*b = (struct buf){.cap = b->cap};
}

static void buf_reserve(struct buf *b, size_t extra)
{
	size_t need = b->length + extra + 1;
	size_t capacity = b->capacity ? b->capacity : 256;

	if (need <= b->capacity)
		return;
	while (capacity < need)
		capacity *= 2;
	b->data = own_resize(b->data, capacity, 1);
	b->capacity = capacity;
}

void buf_add(struct buf *b, const void *bytes, size_t length)
{
	if (b->cap && length > b->cap - b->length) {
		length = b->cap - b->length;
		b->truncated = true;
	}
	if (length == 0)
		return;
	buf_reserve(b, length);
	memcpy(b->data + b->length, bytes, length);
	b->length += length;
	b->data[b->length] = '\0';
}

void buf_text(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_vprintf(struct buf *b, const char *format, va_list arguments)
{
	auto_free char *text = own_vprintf(format, arguments);

	buf_text(b, text);
}

void buf_printf(struct buf *b, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	buf_vprintf(b, format, arguments);
	va_end(arguments);
}

void buf_utf8(struct buf *b, const void *bytes, size_t length)
{
	const unsigned char *p = bytes;

	if (utf8_is_valid(bytes, length) && !memchr(bytes, '\0', length)) {
		buf_add(b, bytes, length);
		return;
	}
	for (size_t i = 0, n; i < length; i += n) {
		uint32_t code;

		n = utf8_decode(p + i, length - i, &code);
		if (code == 0 || code == 0xfffd)
			buf_text(b, "\xef\xbf\xbd");
		else
			buf_add(b, p + i, n);
	}
}

const char *buf_string(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_take(struct buf *b)
{
	char *text = b->data ? b->data : own_strdup("");

	*b = (struct buf){.cap = b->cap};
	return text;
}

void buf_cut(struct buf *b, size_t length)
{
	if (length >= b->length)
		return;
	b->length = length;
	b->data[length] = '\0';
}

static void buf_json_unit(struct buf *b, uint32_t unit)
{
	static const char digits[] = "0123456789abcdef";
	const char text[] = {'\\',
			     'u',
			     digits[unit >> 12 & 15],
			     digits[unit >> 8 & 15],
			     digits[unit >> 4 & 15],
			     digits[unit & 15]};

	buf_add(b, text, sizeof(text));
}

void buf_json_code(struct buf *b, uint32_t code)
{
	static const char short_form[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
					  ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'};
	char plain = (char)code;

	if (code < sizeof(short_form) && short_form[code]) {
		buf_add(b, (char[]){'\\', short_form[code]}, 2);
	} else if (code >= 0x20 && code < 0x7f) {
		buf_add(b, &plain, 1);
	} else if (code < 0x10000) {
		buf_json_unit(b, code);
	} else {
		buf_json_unit(b, 0xd800 + ((code - 0x10000) >> 10));
		buf_json_unit(b, 0xdc00 + ((code - 0x10000) & 0x3ff));
	}
}

/* Whether the buffer drops further bytes. */
static bool buf_is_full(const struct buf *b)
{
	return b->cap && b->length == b->cap;
}

void buf_json_string(struct buf *b, const void *bytes, size_t length)
{
	const unsigned char *p = bytes;
	size_t i = 0;

	buf_add(b, "\"", 1);
	while (i < length && !buf_is_full(b)) {
		uint32_t code;

		i += utf8_decode(p + i, length - i, &code);
		buf_json_code(b, code);
	}
	buf_add(b, "\"", 1);
}

void buf_json_text(struct buf *b, const char *text)
{
	if (text)
		buf_json_string(b, text, strlen(text));
	else
		buf_text(b, "null");
}
