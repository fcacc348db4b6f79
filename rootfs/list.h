/*
 * list - a growing list of owned strings.
 *
 * No side effects; out of memory aborts.
 */
#ifndef GLOVEBOX_ROOTFS_LIST_H
#define GLOVEBOX_ROOTFS_LIST_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

struct list {
	char **items;
	size_t count;
};

void list_add(struct list *l, const char *text);
void list_fini(struct list *l);

/* Append a JSON list of strings; a missing key adds nothing. Errors name the key. */
int list_from_json(struct list *l, const struct json *object, const char *key, struct err *e);

/* As a JSON list. */
void list_to_json(const struct list *l, struct buf *out);

#define auto_list __attribute__((cleanup(list_fini)))

#endif
