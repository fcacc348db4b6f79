/*
 * output_files - a bounded list of files that a program has left behind.
 */
#include "fs/output_files.h"

#include <stdlib.h>

#include "base/own.h"

#define MAX_LISTED 10000

void output_files_add(struct output_files *list, const char *path, uint64_t size_bytes,
		      const char *change)
{
	if (list->count == MAX_LISTED) {
		list->dropped++;
		return;
	}
	list->items = own_grow(list->items, list->count, sizeof(*list->items));
	list->items[list->count++] = (struct output_file){own_strdup(path), size_bytes, change};
}

void output_files_fini(struct output_files *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].path);
	free(list->items);
	*list = (struct output_files){0};
}
