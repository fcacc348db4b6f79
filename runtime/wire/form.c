/*
 * form - the fields of a message, read and written by one table.
 */
#include "wire/form.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"

#define EXACT_MAX      9007199254740992ull /* 2^53: up to here a double holds every integer */
#define PATH_MAX_BYTES 160

/* -- reading ------------------------------------------------------------------------------- */

/* The path of something in the message: "" or "sessions[3]." before a key. */
struct place {
	const char *prefix;
	const char *key;
};

static int form_refuse(const struct place *at, const char *what, struct err *e)
{
	return err_input(e, "\"%.120s%.60s\" %s", at->prefix, at->key, what);
}

static int form_parse_digits(const char *text, uint64_t *out)
{
	uint64_t number = 0;

	if (!*text || strlen(text) > 20)
		return -1;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*text - '0'), &number))
			return -1;
	}
	*out = number;
	return 0;
}

static int form_read_number(const struct field *f, const struct json *node, const struct place *at,
			    uint64_t *out, struct err *e)
{
	const char *digits = json_string(node);

	if (digits ? form_parse_digits(digits, out) : json_number(node, out))
		return form_refuse(at, "must be a whole number, 0 or more", e);
	return *out > f->max ? form_refuse(at, "is too large", e) : 0;
}

static int form_read_text(const struct field *f, const struct json *node, const struct place *at,
			  const char **out, struct err *e)
{
	const char *text = json_string(node);

	if (!text)
		return form_refuse(at, "must be a string", e);
	if (strlen(text) > f->max)
		return form_refuse(at, "is too long", e);
	*out = text;
	return 0;
}

static int form_read_members(const struct form *form, const struct json *object, const char *prefix,
			     void *out, struct err *e);
static int form_check_keys(const struct form *form, const struct json *object, const char *prefix,
			   const char *but, struct err *e);

/* Lists contain no lists, so this never recurses further, whatever a message says. */
static int form_read_list(const struct field *f, const struct json *node, const struct place *at,
			  struct form_list *out, struct err *e)
{
	char prefix[PATH_MAX_BYTES];
	const struct json *n;

	if (!json_is_array(node))
		return form_refuse(at, "must be a list", e);
	if (json_count(node) > f->max)
		return form_refuse(at, "has too many items", e);
	out->items = own_zeroed(json_count(node) + 1, f->items->size);
	for (n = json_first(node); n; n = json_next(n)) {
		char *item = (char *)out->items + out->count++ * f->items->size;

		snprintf(prefix, sizeof(prefix), "%.60s[%u].", at->key, out->count - 1);
		if (form_check_keys(f->items, n, prefix, NULL, e) ||
		    form_read_members(f->items, n, prefix, item, e))
			return -1;
	}
	return 0;
}

static int form_read_field(const struct field *f, const struct json *node, const char *prefix,
			   void *member, struct err *e)
{
	const struct place at = {prefix, f->key};

	if (!node)
		return f->optional ? 0 : form_refuse(&at, "is missing", e);
	switch (f->kind) {
	case FIELD_TEXT:
		return form_read_text(f, node, &at, member, e);
	case FIELD_NUMBER:
		return form_read_number(f, node, &at, member, e);
	case FIELD_FLAG:
		*(bool *)member = json_is_true(node);
		return json_is_bool(node) ? 0 : form_refuse(&at, "must be true or false", e);
	case FIELD_LIST:
		return form_read_list(f, node, &at, member, e);
	}
	return -1;
}

static bool form_knows(const struct form *form, const char *key)
{
	for (const struct field *f = form->fields; f->key; f++) {
		if (!strcmp(f->key, key))
			return true;
	}
	return false;
}

/* Not by json_get(), which treats a null as missing. */
static bool form_stands_before(const struct json *object, const struct json *node)
{
	const struct json *n = json_first(object);

	while (n != node && strcmp(json_key(n), json_key(node)) != 0)
		n = json_next(n);
	return n != node;
}

static int form_check_keys(const struct form *form, const struct json *object, const char *prefix,
			   const char *but, struct err *e)
{
	if (!json_is_object(object))
		return err_input(e, "the message%s%.60s is not an object", *prefix ? " at " : "",
				 prefix);
	for (const struct json *n = json_first(object); n; n = json_next(n)) {
		const struct place at = {prefix, json_key(n)};

		if (!form_knows(form, at.key) && (!but || strcmp(but, at.key) != 0))
			return form_refuse(&at, "is not known", e);
		if (form_stands_before(object, n))
			return form_refuse(&at, "stands twice", e);
	}
	return 0;
}

static int form_read_members(const struct form *form, const struct json *object, const char *prefix,
			     void *out, struct err *e)
{
	for (const struct field *f = form->fields; f->key; f++) {
		if (f->kind == FIELD_TEXT)
			*(const char **)((char *)out + f->offset) = "";
	}
	for (const struct field *f = form->fields; f->key; f++) {
		if (form_read_field(f, json_get(object, f->key), prefix, (char *)out + f->offset,
				    e))
			return -1;
	}
	return 0;
}

int form_read(const struct form *form, const struct json *object, const char *but, void *out,
	      struct err *e)
{
	memset(out, 0, form->size);
	return form_check_keys(form, object, "", but, e)
		       ? -1
		       : form_read_members(form, object, "", out, e);
}

void form_fini(const struct form *form, void *out)
{
	for (const struct field *f = form->fields; f->key; f++) {
		struct form_list *list = (void *)((char *)out + f->offset);

		if (f->kind != FIELD_LIST)
			continue;
		free(list->items);
		*list = (struct form_list){0};
	}
}

/* -- writing ------------------------------------------------------------------------------- */

static void form_put_number(const char *key, uint64_t number, struct buf *out)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	if (number > EXACT_MAX)
		json_put_text(out, key, text);
	else
		json_put_uint(out, key, number);
}

static void form_put_list(const struct field *f, const struct form_list *list, struct buf *out)
{
	json_put_begin(out, f->key, '[');
	for (unsigned i = 0; i < list->count; i++)
		form_write(f->items, NULL, (const char *)list->items + i * f->items->size, out);
	json_put_end(out, ']');
}

static void form_put_field(const struct field *f, const void *member, struct buf *out)
{
	const char *text;

	switch (f->kind) {
	case FIELD_TEXT:
		text = *(const char *const *)member;
		json_put_text(out, f->key, text ? text : "");
		break;
	case FIELD_NUMBER:
		form_put_number(f->key, *(const uint64_t *)member, out);
		break;
	case FIELD_FLAG:
		json_put_bool(out, f->key, *(const bool *)member);
		break;
	case FIELD_LIST:
		form_put_list(f, member, out);
		break;
	}
}

void form_write_members(const struct form *form, const void *in, struct buf *out)
{
	for (const struct field *f = form->fields; f->key; f++)
		form_put_field(f, (const char *)in + f->offset, out);
}

void form_write(const struct form *form, const char *key, const void *in, struct buf *out)
{
	json_put_begin(out, key, '{');
	form_write_members(form, in, out);
	json_put_end(out, '}');
}
