/*
 * schema - validate a JSON body, and list all its errors.
 */
#include "request/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/json_put.h"
#include "base/json_strict.h"
#include "web/media_type.h"

#define WHOLE_MAX     (1ull << 53) /* largest whole number that a JSON number holds exactly */
#define TWICE         "Field is there twice"
#define TRUNCATED     "...[truncated]"

#define STRING_GROWTH 7 /* a byte may become \\u007f; quotes double */

/* -- errors ---------------------------------------------------------------------------------- */

/* Begin an entry; its loc is left open. */
static struct buf *schema_wrong(struct schema *s, const char *type)
{
	struct buf *out = s->wrong_count < SCHEMA_WRONG_MAX ? &s->wrong : &s->surplus;

	s->surplus.cap = 1;
	s->wrong_count++;
	if (!s->wrong.length)
		buf_text(out, "{\"detail\":[");
	json_put_begin(out, NULL, '{');
	json_put_text(out, "type", type);
	json_put_begin(out, "loc", '[');
	json_put_text(out, NULL, "body");
	return out;
}

/* Cut between characters. */
static void schema_put_cut(struct buf *out, const char *text)
{
	auto_buf struct buf cut = {0};
	size_t length = SCHEMA_INPUT_MAX;

	while (length && (text[length] & 0xc0) == 0x80)
		length--;
	buf_add(&cut, text, length);
	buf_text(&cut, TRUNCATED);
	json_put_bytes(out, "input", cut.data, cut.length);
}

/* Write no more of a value than is shown. */
static void schema_put_input(struct buf *out, const struct json *value)
{
	auto_buf struct buf text = {.cap = SCHEMA_INPUT_MAX};
	const char *string = json_string(value);

	if (string && strnlen(string, SCHEMA_INPUT_MAX + 1) > SCHEMA_INPUT_MAX) {
		schema_put_cut(out, string);
		return;
	}
	text.cap *= string ? STRING_GROWTH : 1;
	if (value)
		json_write(value, &text);
	else
		buf_text(&text, "null");
	if (text.truncated) {
		schema_put_cut(out, text.data);
		return;
	}
	json_put_key(out, "input");
	buf_add(out, text.data, text.length);
}

static void schema_end_wrong(struct buf *out, const char *message, const struct json *value)
{
	json_put_text(out, "msg", message);
	schema_put_input(out, value);
}

static void schema_note(struct schema *s, const char *key, const char *type, const char *message,
			const struct json *value)
{
	struct buf *out = schema_wrong(s, type);

	if (key)
		json_put_text(out, NULL, key);
	json_put_end(out, ']');
	schema_end_wrong(out, message, value);
	json_put_end(out, '}');
}

static void schema_note_text(struct schema *s, const struct err *e)
{
	struct buf *out = schema_wrong(s, "json_invalid");

	json_put_uint(out, NULL, 0);
	json_put_end(out, ']');
	json_put_text(out, "msg", "JSON decode error");
	buf_text(out, ",\"input\":{}");
	json_put_begin(out, "ctx", '{');
	json_put_text(out, "error", e->text);
	json_put_end(out, '}');
	json_put_end(out, '}');
}

/* A duplicate member has two readings: a proxy may have checked the other one. */
static bool schema_has_twice(const struct json *object, const char *key)
{
	unsigned count = 0;

	for (const struct json *n = json_first(object); n; n = json_next(n))
		count += !strcmp(json_key(n), key);
	return count > 1;
}

static const struct json *schema_member(struct schema *s, const char *key)
{
	if (!s->document)
		return NULL;
	if (schema_has_twice(s->document, key))
		schema_note(s, key, "duplicate", TWICE, s->document);
	return json_get(s->document, key);
}

/* -- the body -------------------------------------------------------------------------------- */

void schema_begin(struct schema *s, const char *type, const char *text, size_t length)
{
	struct err e;

	*s = (struct schema){.text = text ? text : "", .length = length};
	if (!length) {
		schema_note(s, NULL, "missing", "Field required", NULL);
		return;
	}
	if (!type || media_type_is(type, "application/json")) {
		s->text += json_byte_order_mark(text, length);
		s->length -= (size_t)(s->text - text);
		if (json_check_strict(s->text, s->length, SCHEMA_VALUES_MAX, &e)) {
			schema_note_text(s, &e);
			return;
		}
		s->document = json_parse(s->text, s->length, &e);
	}
	if (!s->document || !json_is_object(s->document)) {
		schema_note(s, NULL, "model_attributes_type",
			    !type || media_type_is(type, "application/json")
				    ? "Input should be a valid dictionary or object to extract "
				      "fields from"
				    : "Content-Type should be application/json",
			    s->document);
		json_free(s->document);
		s->document = NULL;
	}
}

void schema_fini(struct schema *s)
{
	json_free(s->document);
	buf_fini(&s->wrong);
	buf_fini(&s->surplus);
}

bool schema_is_wrong(struct schema *s, struct buf *detail)
{
	if (!s->wrong.length)
		return false;
	if (s->wrong_count > SCHEMA_WRONG_MAX) {
		s->wrong_count = 0; /* make room for this last entry */
		schema_note(s, NULL, "too_many_errors", "There are more errors", NULL);
	}
	*detail = s->wrong;
	s->wrong = (struct buf){0};
	json_put_end(detail, ']');
	json_put_end(detail, '}');
	return true;
}

/* -- its members ----------------------------------------------------------------------------- */

void schema_string(struct schema *s, const char *key, bool required, const char **out)
{
	const struct json *value = schema_member(s, key);

	if (!s->document)
		return;
	if (json_string(value))
		*out = json_string(value);
	else if (value)
		schema_note(s, key, "string_type", "Input should be a valid string", value);
	else if (required)
		schema_note(s, key, "missing", "Field required", s->document);
}

void schema_require(struct schema *s, const char *key)
{
	if (s->document && !schema_member(s, key))
		schema_note(s, key, "missing", "Field required", s->document);
}

/* Return the end of the string at `at`, behind its closing quote. */
static const char *schema_skip_string(const char *at)
{
	for (at++; *at != '"'; at++) {
		if (*at == '\\')
			at++;
	}
	return at + 1;
}

/*
 * Return the text of a member's value, since the parser keeps only the number. The body is a
 * well-formed object.
 */
static const char *schema_raw(const struct schema *s, const char *key)
{
	const char *found = NULL;
	unsigned depth = 0;

	for (const char *at = s->text; at < s->text + s->length;) {
		const char *end;

		depth += *at == '{' || *at == '[';
		depth -= *at == '}' || *at == ']';
		if (*at != '"') {
			at++;
			continue;
		}
		end = schema_skip_string(at);
		if (depth == 1 && (size_t)(end - at) == strlen(key) + 2 &&
		    !strncmp(at + 1, key, strlen(key))) {
			at = end + strspn(end, " \t\r\n");
			if (*at == ':')
				found = at + 1 + strspn(at + 1, " \t\r\n");
			end = at;
		}
		at = end;
	}
	return found;
}

static bool schema_is_whole(const struct schema *s, const char *key)
{
	const char *raw = schema_raw(s, key);
	size_t length = raw ? strspn(raw, "-0123456789") : 0;

	return length && !strchr(".eE", raw[length]);
}

static void schema_note_bound(struct schema *s, const char *key, bool is_more, uint64_t bound,
			      const struct json *value)
{
	struct buf *wrong = schema_wrong(s, is_more ? "less_than_equal" : "greater_than_equal");
	char message[80];

	snprintf(message, sizeof(message), "Input should be %s than or equal to %" PRIu64,
		 is_more ? "less" : "greater", bound);
	json_put_text(wrong, NULL, key);
	json_put_end(wrong, ']');
	schema_end_wrong(wrong, message, value);
	json_put_begin(wrong, "ctx", '{');
	json_put_uint(wrong, is_more ? "le" : "ge", bound);
	json_put_end(wrong, '}');
	json_put_end(wrong, '}');
}

void schema_whole_within(struct schema *s, const char *key, uint64_t min, uint64_t max,
			 uint64_t *out)
{
	const struct json *value = schema_member(s, key);
	uint64_t whole = max;
	double number = 0;

	if (!value)
		return;
	if (json_double(value, &number) || !schema_is_whole(s, key))
		schema_note(s, key, "int_type", "Input should be a valid integer", value);
	else if (number < (double)min)
		schema_note_bound(s, key, false, min, value);
	else if (json_number(value, &whole) || whole > max)
		schema_note_bound(s, key, true, max, value);
	else
		*out = whole;
}

void schema_whole(struct schema *s, const char *key, uint64_t min, uint64_t *out)
{
	schema_whole_within(s, key, min, WHOLE_MAX, out);
}

static int schema_word_truth(const char *word)
{
	static const char *const words[] = {"false", "true", "0", "1", "no", "yes",
					    "off",   "on",   "f", "t", "n",  "y"};

	for (unsigned i = 0; word && i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcasecmp(word, words[i]))
			return i % 2;
	}
	return -1;
}

void schema_truth(struct schema *s, const char *key, bool *out)
{
	const struct json *value = schema_member(s, key);
	uint64_t number = 2;
	int truth;

	if (!value)
		return;
	truth = schema_word_truth(json_string(value));
	if (json_is_bool(value))
		truth = json_is_true(value);
	else if (!json_number(value, &number) && number < 2)
		truth = (int)number;
	if (truth < 0)
		schema_note(s, key, "bool_parsing",
			    "Input should be a valid boolean, unable to interpret input", value);
	else
		*out = truth;
}

const struct json *schema_list(struct schema *s, const char *key)
{
	const struct json *value = schema_member(s, key);

	if (value && !json_is_array(value)) {
		schema_note(s, key, "list_type", "Input should be a valid list", value);
		return NULL;
	}
	return value;
}

const struct json *schema_object(struct schema *s, const char *key)
{
	const struct json *value = schema_member(s, key);

	if (value && !json_is_object(value)) {
		schema_note(s, key, "dict_type", "Input should be a valid dictionary", value);
		return NULL;
	}
	return value;
}

void schema_item_string(struct schema *s, const char *list, size_t index, const struct json *item,
			const char *key, const char **out)
{
	const struct json *value = json_is_object(item) ? json_get(item, key) : NULL;
	bool is_twice = value && schema_has_twice(item, key);
	struct buf *wrong;

	*out = is_twice ? NULL : json_string(value);
	if (*out)
		return;
	wrong = schema_wrong(s, is_twice ? "duplicate" : value ? "string_type" : "missing");
	json_put_text(wrong, NULL, list);
	json_put_uint(wrong, NULL, index);
	json_put_text(wrong, NULL, key);
	json_put_end(wrong, ']');
	schema_end_wrong(wrong,
			 is_twice ? TWICE
			 : value  ? "Input should be a valid string"
				  : "Field required",
			 value ? value : item);
	json_put_end(wrong, '}');
}
