/*
 * json_strict - check that a text is strict JSON (RFC 8259), of bounded cost.
 */
#include "base/json_strict.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/utf8.h"

#define LEVELS     64
#define NUMBER_MAX 63 /* cJSON reads no longer numbers */

struct reader {
	const char *p;
	const char *end;
	size_t values_left;
	uint64_t objects; /* one bit per level, the innermost lowest: 1 is an object, 0 an array */
	unsigned depth;
};

static bool json_strict_take(struct reader *r, char c)
{
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

static bool json_strict_take_word(struct reader *r, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(r->end - r->p) < length || memcmp(r->p, word, length) != 0)
		return false;
	r->p += length;
	return true;
}

static void json_strict_skip_space(struct reader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
		r->p++;
}

/* -- strings ------------------------------------------------------------------------------ */

/* Returns the value of four hex digits, or -1. */
static int json_strict_take_hex(struct reader *r)
{
	int code = 0;

	if (r->end - r->p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(*r->p++);

		if (digit < 0)
			return -1;
		code = code << 4 | digit;
	}
	return code;
}

/* Called after "\u". */
static bool json_strict_take_code_point(struct reader *r)
{
	int code = json_strict_take_hex(r);
	int low;

	if (code <= 0 || (code >= 0xdc00 && code < 0xe000))
		return false;
	if (code < 0xd800 || code >= 0xe000)
		return true;
	if (!json_strict_take_word(r, "\\u"))
		return false;
	low = json_strict_take_hex(r);
	return low >= 0xdc00 && low < 0xe000;
}

/* Called after a backslash. */
static bool json_strict_take_escape(struct reader *r)
{
	if (json_strict_take(r, 'u'))
		return json_strict_take_code_point(r);
	if (r->p == r->end || !*r->p || !strchr("\"\\/bfnrt", *r->p))
		return false;
	r->p++;
	return true;
}

static bool json_strict_take_string(struct reader *r)
{
	uint32_t code;

	if (!json_strict_take(r, '"'))
		return false;
	while (r->p < r->end && *r->p != '"') {
		const char *at = r->p;

		if ((unsigned char)*at < 0x20)
			return false;
		r->p += utf8_decode((const unsigned char *)at, (size_t)(r->end - at), &code);
		if (code == 0xfffd && !utf8_is_valid(at, (size_t)(r->p - at)))
			return false;
		if (code == '\\' && !json_strict_take_escape(r))
			return false;
	}
	return json_strict_take(r, '"');
}

/* -- numbers ------------------------------------------------------------------------------ */

static bool json_strict_take_digits(struct reader *r)
{
	const char *start = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return r->p > start;
}

static bool json_strict_is_finite(const char *text, size_t length)
{
	char copy[NUMBER_MAX + 1];

	if (length > NUMBER_MAX)
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return isfinite(strtod(copy, NULL));
}

static bool json_strict_take_number(struct reader *r)
{
	const char *start = r->p;

	(void)json_strict_take(r, '-');
	if (!json_strict_take(r, '0') && !json_strict_take_digits(r))
		return false;
	if (json_strict_take(r, '.') && !json_strict_take_digits(r))
		return false;
	if (json_strict_take(r, 'e') || json_strict_take(r, 'E')) {
		if (!json_strict_take(r, '+'))
			(void)json_strict_take(r, '-');
		if (!json_strict_take_digits(r))
			return false;
	}
	return json_strict_is_finite(start, (size_t)(r->p - start));
}

/* -- containers --------------------------------------------------------------------------- */

static bool json_strict_take_key(struct reader *r)
{
	json_strict_skip_space(r);
	if (!json_strict_take_string(r))
		return false;
	json_strict_skip_space(r);
	return json_strict_take(r, ':');
}

static void json_strict_leave(struct reader *r)
{
	r->objects >>= 1;
	r->depth--;
}

/* Enter a container. *more: a value must follow. */
static bool json_strict_enter(struct reader *r, bool *more)
{
	bool object = *r->p++ == '{';

	if (r->depth == LEVELS)
		return false;
	r->objects = r->objects << 1 | object;
	r->depth++;
	json_strict_skip_space(r);
	if (json_strict_take(r, object ? '}' : ']')) {
		json_strict_leave(r);
		return true;
	}
	*more = true;
	return !object || json_strict_take_key(r);
}

static bool json_strict_begin_value(struct reader *r, bool *more)
{
	json_strict_skip_space(r);
	if (r->p == r->end || !r->values_left)
		return false;
	r->values_left--;
	switch (*r->p) {
	case '{':
	case '[':
		return json_strict_enter(r, more);
	case '"':
		return json_strict_take_string(r);
	case 't':
		return json_strict_take_word(r, "true");
	case 'f':
		return json_strict_take_word(r, "false");
	case 'n':
		return json_strict_take_word(r, "null");
	default:
		return json_strict_take_number(r);
	}
}

/* After a value: leave containers that end here, and stop at a comma. */
static bool json_strict_end_value(struct reader *r, bool *more)
{
	while (r->depth) {
		bool object = r->objects & 1;

		json_strict_skip_space(r);
		if (json_strict_take(r, ',')) {
			*more = true;
			return !object || json_strict_take_key(r);
		}
		if (!json_strict_take(r, object ? '}' : ']'))
			return false;
		json_strict_leave(r);
	}
	return true;
}

static bool json_strict_read_document(struct reader *r)
{
	bool more = true;

	while (more) {
		more = false;
		if (!json_strict_begin_value(r, &more) ||
		    (!more && !json_strict_end_value(r, &more)))
			return false;
	}
	json_strict_skip_space(r);
	return r->p == r->end;
}

size_t json_byte_order_mark(const char *text, size_t length)
{
	static const char mark[] = {'\xef', '\xbb', '\xbf'};

	return length >= sizeof(mark) && !memcmp(text, mark, sizeof(mark)) ? sizeof(mark) : 0;
}

int json_check_strict(const char *text, size_t length, size_t max_values, struct err *e)
{
	struct reader r = {.p = text, .end = text + length, .values_left = max_values};

	if (json_strict_read_document(&r))
		return 0;
	if (!r.values_left && r.p < r.end)
		return err_input(e, "JSON with more than %zu values", max_values);
	return err_input(e, "not strict JSON (byte %zu)", (size_t)(r.p - text));
}
