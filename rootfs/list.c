/*
 * list - a growing list of owned strings.
 */
#include "list.h"

#include <stdlib.h>
#include <string.h>

void list_add(struct list *l, const char *text)
{
	l->items = reallocarray(l->items, l->count + 1, sizeof(char *));
	if (!l->items)
		abort();
	l->items[l->count] = strdup(text);
	if (!l->items[l->count++])
		abort();
}

void list_fini(struct list *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->items[i]);
	free(l->items);
	*l = (struct list){0};
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

void list_to_json(const struct list *l, struct buf *out)
{
	buf_text(out, "[");
	for (size_t i = 0; i < l->count; i++) {
		buf_text(out, i ? "," : "");
		buf_json_text(out, l->items[i]);
	}
	buf_text(out, "]");
}
