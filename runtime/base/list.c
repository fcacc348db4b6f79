/*
 * list - a growing list of owned strings.
 */
#include "base/list.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"

static void list_take(struct list *l, char *text)
{
	l->items = own_grow(l->items, l->count, sizeof(*l->items));
	l->items[l->count++] = text;
}

void list_add(struct list *l, const char *text)
{
	list_take(l, own_strdup(text));
}

void list_addf(struct list *l, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	list_take(l, own_vprintf(format, arguments));
	va_end(arguments);
}

void list_add_lines(struct list *l, const char *text)
{
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		list_take(l, own_strndup(text, length));
	}
}

void list_fini(struct list *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->items[i]);
	free(l->items);
	*l = (struct list){0};
}

bool list_has(const struct list *l, const char *text)
{
	for (size_t i = 0; i < l->count; i++) {
		if (!strcmp(l->items[i], text))
			return true;
	}
	return false;
}

static int list_by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void list_sort(struct list *l)
{
	if (l->count)
		qsort(l->items, l->count, sizeof(*l->items), list_by_bytes);
}

int list_from_json(struct list *l, const struct json *object, const char *key, struct err *e)
{
	const struct json *array = NULL;

	if (json_get_array(object, key, &array, e))
		return -1;
	for (const struct json *n = json_first(array); n; n = json_next(n)) {
		if (!json_string(n))
			return err_input(e, "\"%s\" must be a list of strings", key);
		list_add(l, json_string(n));
	}
	return 0;
}

void list_put(const struct list *l, struct buf *out, const char *key)
{
	json_put_begin(out, key, '[');
	for (size_t i = 0; i < l->count; i++)
		json_put_text(out, NULL, l->items[i]);
	json_put_end(out, ']');
}
