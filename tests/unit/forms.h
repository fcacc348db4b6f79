/*
 * forms - messages and structs generated from a form alone, so that a new form needs no new test
 * code.
 */
#ifndef GLOVEBOX_TESTS_FORMS_H
#define GLOVEBOX_TESTS_FORMS_H

#include "unit.h"

#include "base/own.h"
#include "wire/form.h"

#define ITEMS 4 /* of a list that allows so many; the last one is changed */

/* What is wrong with a message: one member of one object is changed, left out or added. */
struct change {
	const struct form *form;   /* the object */
	const struct field *field; /* the member; NULL: none */
	const char *value;         /* replaces the valid value; NULL: the member is left out */
	const char *more;          /* more members behind its own, each with a comma in front */
};

static inline uint64_t forms_items(const struct field *list)
{
	return list->max < ITEMS ? list->max : ITEMS;
}

static inline void forms_object(const struct form *form, const struct change *change,
				struct buf *out);

static inline void forms_list(const struct field *f, const struct change *change, struct buf *out)
{
	buf_text(out, "[");
	for (uint64_t i = 0; i < forms_items(f); i++) {
		buf_text(out, i ? "," : "");
		forms_object(f->items, i + 1 == forms_items(f) ? change : NULL, out);
	}
	buf_text(out, "]");
}

/* Write some valid value. */
static inline void forms_value(const struct field *f, const struct change *change, struct buf *out)
{
	switch (f->kind) {
	case FIELD_TEXT:
		buf_text(out, f->max ? "\"x\"" : "\"\"");
		break;
	case FIELD_NUMBER:
		buf_text(out, f->max ? "1" : "0");
		break;
	case FIELD_FLAG:
		buf_text(out, "true");
		break;
	case FIELD_LIST:
		forms_list(f, change, out);
		break;
	}
}

static inline void forms_members(const struct form *form, const struct change *change,
				 struct buf *out)
{
	for (const struct field *f = form->fields; f->key; f++) {
		bool changed = change && change->field == f;

		if (changed && !change->value)
			continue;
		buf_printf(out, ",\"%s\":", f->key);
		if (changed)
			buf_text(out, change->value);
		else
			forms_value(f, change, out);
	}
	if (change && change->form == form && change->more)
		buf_text(out, change->more);
}

static inline void forms_object(const struct form *form, const struct change *change,
				struct buf *out)
{
	auto_buf struct buf members = {0};

	forms_members(form, change, &members);
	buf_printf(out, "{%s}", members.length ? members.data + 1 : "");
}

/* -- structs ------------------------------------------------------------------------------- */

/*
 * Fill a struct with the smallest or the largest values that the form takes; free it with
 * forms_empty().
 */
static inline void forms_fill(const struct form *form, bool largest, void *out)
{
	memset(out, 0, form->size);
	for (const struct field *f = form->fields; f->key; f++) {
		void *member = (char *)out + f->offset;
		struct form_list *list = member;
		char *text;

		switch (f->kind) {
		case FIELD_TEXT:
			text = own_zeroed(f->max + 1, 1);
			memset(text, 'x', largest ? f->max : 0);
			*(char **)member = text;
			break;
		case FIELD_NUMBER:
			*(uint64_t *)member = largest ? f->max : 0;
			break;
		case FIELD_FLAG:
			*(bool *)member = largest;
			break;
		case FIELD_LIST:
			list->count = largest ? (unsigned)f->max : 0;
			list->items = own_zeroed(list->count + 1, f->items->size);
			for (unsigned i = 0; i < list->count; i++)
				forms_fill(f->items, largest,
					   (char *)list->items + i * f->items->size);
			break;
		}
	}
}

static inline void forms_empty(const struct form *form, void *filled)
{
	for (const struct field *f = form->fields; f->key; f++) {
		void *member = (char *)filled + f->offset;
		struct form_list *list = member;

		if (f->kind == FIELD_TEXT)
			free(*(char **)member);
		for (unsigned i = 0; f->kind == FIELD_LIST && i < list->count; i++)
			forms_empty(f->items, (char *)list->items + i * f->items->size);
	}
	form_fini(form, filled);
}

static inline void forms_assert_same(const struct form *form, const void *a, const void *b)
{
	for (const struct field *f = form->fields; f->key; f++) {
		const void *one = (const char *)a + f->offset;
		const void *other = (const char *)b + f->offset;
		const struct form_list *list = one;
		const struct form_list *other_list = other;

		switch (f->kind) {
		case FIELD_TEXT:
			assert_string_equal(*(const char *const *)one, *(const char *const *)other);
			break;
		case FIELD_NUMBER:
			assert_true(*(const uint64_t *)one == *(const uint64_t *)other);
			break;
		case FIELD_FLAG:
			assert_int_equal(*(const bool *)one, *(const bool *)other);
			break;
		case FIELD_LIST:
			assert_int_equal(list->count, other_list->count);
			for (unsigned i = 0; i < list->count; i++)
				forms_assert_same(
					f->items, (const char *)list->items + i * f->items->size,
					(const char *)other_list->items + i * f->items->size);
			break;
		}
	}
}

/* -- what a field does not take ------------------------------------------------------------ */

struct forms_bad {
	const char *value; /* NULL: the member is left out */
	const char *why;
};

/* A list for each type; it ends with a NULL `why`. */
static inline const struct forms_bad *forms_wrong_types(const struct field *f)
{
#define MISSING                                                                                    \
	{NULL, "form_read_field#missing"},                                                         \
	{                                                                                          \
		"null", "form_read_field#missing"                                                  \
	}
	static const char a_number[] = "form_read_number#must";
	static const char a_text[] = "form_read_text#must";
	static const char a_flag[] = "form_read_field#must";
	static const char a_list[] = "form_read_list#must";
	static const struct forms_bad texts[] = {
		MISSING,        {"0",    a_text},
                        {"true", a_text},
		{"[]",   a_text},
                        {"{}",   a_text},
                        {NULL,   NULL  },
	};
	static const struct forms_bad numbers[] = {
		MISSING,
		{"-1",			a_number},
		{"0.5",                       a_number},
		{"1e30",                      a_number},
		{"9007199254740994",          a_number},
		{"\"\"",                      a_number},
		{"\"-1\"",                    a_number},
		{"\"+1\"",                    a_number},
		{"\" 1\"",                    a_number},
		{"\"1.0\"",                   a_number},
		{"\"0x1\"",                   a_number},
		{"\"x\"",                     a_number},
		{"\"18446744073709551616\"",  a_number},
		{"\"99999999999999999999\"",  a_number},
		{"\"000000000000000000001\"", a_number},
		{"true",                      a_number},
		{"[]",			a_number},
		{"{}",			a_number},
		{NULL,			NULL    },
	};
	static const struct forms_bad flags[] = {
		MISSING,        {"0",        a_flag},
                        {"1",        a_flag},
                        {"\"true\"", a_flag},
		{"[]",       a_flag},
                        {"{}",       a_flag},
                        {NULL,       NULL  },
	};
	static const struct forms_bad lists[] = {
		MISSING,          {"0",    a_list},
                          {"\"\"", a_list},
		{"true", a_list},
                          {"{}",   a_list},
                          {NULL,   NULL  },
	};
#undef MISSING

	switch (f->kind) {
	case FIELD_TEXT:
		return texts;
	case FIELD_NUMBER:
		return numbers;
	case FIELD_FLAG:
		return flags;
	case FIELD_LIST:
		return lists;
	}
	return NULL;
}

/* Write a value at its bound, or just beyond it; false: nothing lies beyond. */
static inline bool forms_bound(const struct field *f, bool beyond, struct buf *out)
{
	uint64_t bound = f->max + beyond;

	if (f->kind == FIELD_FLAG || (beyond && !bound))
		return false;
	if (f->kind == FIELD_NUMBER) {
		buf_printf(out, "\"%llu\"", (unsigned long long)bound);
		return true;
	}
	buf_text(out, f->kind == FIELD_TEXT ? "\"" : "[");
	for (uint64_t i = 0; i < bound; i++) {
		if (f->kind == FIELD_TEXT) {
			buf_text(out, "x");
			continue;
		}
		buf_text(out, i ? "," : "");
		forms_object(f->items, NULL, out);
	}
	buf_text(out, f->kind == FIELD_TEXT ? "\"" : "]");
	return true;
}

#endif
