/*
 * json_strict - whether a text is JSON to the letter (RFC 8259), and of a bounded cost.
 */
#include "base/json_strict.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define LEVELS     64
#define NUMBER_MAX 63 /* cJSON reads no further */

struct reader {
	const char *p;
	const char *end;
	size_t values_left;
	uint64_t objects; /* a bit for each level, the innermost lowest: an object, not an array */
	unsigned depth;
};

static bool take(struct reader *r, char c)
{
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

static bool take_word(struct reader *r, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(r->end - r->p) < length || memcmp(r->p, word, length) != 0)
		return false;
	r->p += length;
	return true;
}

static void skip_space(struct reader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
		r->p++;
}

/* -- strings ------------------------------------------------------------------------------ */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four digits; -1: there are not that many. */
static int take_hex(struct reader *r)
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

/* Behind "\u". */
static bool take_code_point(struct reader *r)
{
	int code = take_hex(r);
	int low;

	if (code <= 0 || (code >= 0xdc00 && code < 0xe000))
		return false;
	if (code < 0xd800 || code >= 0xe000)
		return true;
	if (!take_word(r, "\\u"))
		return false;
	low = take_hex(r);
	return low >= 0xdc00 && low < 0xe000;
}

/* Behind a backslash. */
static bool take_escape(struct reader *r)
{
	if (take(r, 'u'))
		return take_code_point(r);
	return r->p < r->end && *r->p && strchr("\"\\/bfnrt", *r->p++);
}

static bool take_string(struct reader *r)
{
	uint32_t code;

	if (!take(r, '"'))
		return false;
	while (r->p < r->end && *r->p != '"') {
		const char *at = r->p;

		if ((unsigned char)*at < 0x20)
			return false;
		r->p += utf8_decode((const unsigned char *)at, (size_t)(r->end - at), &code);
		if (code == 0xfffd && !utf8_is_valid(at, (size_t)(r->p - at)))
			return false;
		if (code == '\\' && !take_escape(r))
			return false;
	}
	return take(r, '"');
}

/* -- numbers ------------------------------------------------------------------------------ */

static bool take_digits(struct reader *r)
{
	const char *start = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return r->p > start;
}

static bool is_finite(const char *text, size_t length)
{
	char copy[NUMBER_MAX + 1];

	if (length > NUMBER_MAX)
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return isfinite(strtod(copy, NULL));
}

static bool take_number(struct reader *r)
{
	const char *start = r->p;

	(void)take(r, '-');
	if (!take(r, '0') && !take_digits(r))
		return false;
	if (take(r, '.') && !take_digits(r))
		return false;
	if (take(r, 'e') || take(r, 'E')) {
		if (!take(r, '+'))
			(void)take(r, '-');
		if (!take_digits(r))
			return false;
	}
	return is_finite(start, (size_t)(r->p - start));
}

/* -- containers --------------------------------------------------------------------------- */

static bool take_key(struct reader *r)
{
	skip_space(r);
	if (!take_string(r))
		return false;
	skip_space(r);
	return take(r, ':');
}

static void leave(struct reader *r)
{
	r->objects >>= 1;
	r->depth--;
}

/* Into a container. *more: a value must follow. */
static bool enter(struct reader *r, bool *more)
{
	bool object = *r->p++ == '{';

	if (r->depth == LEVELS)
		return false;
	r->objects = r->objects << 1 | object;
	r->depth++;
	skip_space(r);
	if (take(r, object ? '}' : ']')) {
		leave(r);
		return true;
	}
	*more = true;
	return !object || take_key(r);
}

static bool begin_value(struct reader *r, bool *more)
{
	skip_space(r);
	if (r->p == r->end || !r->values_left)
		return false;
	r->values_left--;
	switch (*r->p) {
	case '{':
	case '[':
		return enter(r, more);
	case '"':
		return take_string(r);
	case 't':
		return take_word(r, "true");
	case 'f':
		return take_word(r, "false");
	case 'n':
		return take_word(r, "null");
	default:
		return take_number(r);
	}
}

/* Behind a value: out of the containers that end here, as far as a comma. */
static bool end_value(struct reader *r, bool *more)
{
	while (r->depth) {
		bool object = r->objects & 1;

		skip_space(r);
		if (take(r, ',')) {
			*more = true;
			return !object || take_key(r);
		}
		if (!take(r, object ? '}' : ']'))
			return false;
		leave(r);
	}
	return true;
}

static bool read_document(struct reader *r)
{
	bool more = true;

	while (more) {
		more = false;
		if (!begin_value(r, &more) || (!more && !end_value(r, &more)))
			return false;
	}
	skip_space(r);
	return r->p == r->end;
}

int json_check_strict(const char *text, size_t length, size_t max_values, struct err *e)
{
	struct reader r = {.p = text, .end = text + length, .values_left = max_values};

	if (read_document(&r))
		return 0;
	if (!r.values_left && r.p < r.end)
		return err_input(e, "JSON with more than %zu values", max_values);
	return err_input(e, "not strict JSON (byte %zu)", (size_t)(r.p - text));
}
