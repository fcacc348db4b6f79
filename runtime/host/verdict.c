/*
 * verdict - how a run ended, and what it cost.
 */
#include "host/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"

/* A hostile program may leave any number of names behind. */
#define MAX_LISTED 10000

const char *verdict_name(enum verdict_kind kind)
{
	static const char *const names[] = {
		[VERDICT_EXITED] = "exited",       [VERDICT_SIGNALLED] = "signalled",
		[VERDICT_WALL_TIME] = "wall_time", [VERDICT_CPU_TIME] = "cpu_time",
		[VERDICT_MEMORY] = "memory",       [VERDICT_SYSCALL] = "syscall",
		[VERDICT_OUTPUT] = "output",       [VERDICT_CANCELLED] = "cancelled",
	};

	return names[kind];
}

void output_files_add(struct output_files *list, const char *path, uint64_t size_bytes,
		      const char *change)
{
	struct output_file *items;

	if (list->count == MAX_LISTED) {
		list->dropped++;
		return;
	}
	items = own_resize(list->items, list->count + 1, sizeof(*items));
	list->items = items;
	items[list->count].path = own_strdup(path);
	items[list->count].size_bytes = size_bytes;
	items[list->count].change = change;
	list->count++;
}

static void verdict_files_fini(struct output_files *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].path);
	free(list->items);
}

void verdict_fini(struct verdict *v)
{
	buf_fini(&v->captured[0]);
	buf_fini(&v->captured[1]);
	verdict_files_fini(&v->files);
	verdict_files_fini(&v->refused);
	egress_summary_fini(&v->egress);
	*v = (struct verdict){0};
}
