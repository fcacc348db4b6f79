/*
 * list - a growing list of owned strings.
 *
 * No side effects; out of memory aborts.
 */
#ifndef GLOVEBOX_BASE_LIST_H
#define GLOVEBOX_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

struct list {
	char **items;
	size_t count;
};

void list_add(struct list *l, const char *text);
void list_addf(struct list *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
void list_add_lines(struct list *l, const char *text); /* each line, without its end */
void list_fini(struct list *l);
bool list_has(const struct list *l, const char *text);

/* Sort by bytes. */
void list_sort(struct list *l);

/* Append a JSON list of strings; a missing key adds nothing. Errors name the key. */
int list_from_json(struct list *l, const struct json *object, const char *key, struct err *e);

/* Write it as a JSON list under that key (base/json_put.h). */
void list_put(const struct list *l, struct buf *out, const char *key);

#define auto_list __attribute__((cleanup(list_fini)))

#endif
