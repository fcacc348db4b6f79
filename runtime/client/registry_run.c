/*
 * registry_run - the place of a sandbox in the registry.
 */
#include "client/registry_run.h"

#include <limits.h>
#include <stdio.h>

#include "loop/clock.h"
#include "sandbox/sandbox.h"

/* The words, as far as there is room: what people know a run by. */
static void registry_run_join(const struct string_list *words, char *out, size_t size)
{
	size_t at = 0;

	*out = '\0';
	for (size_t i = 0; i < words->count && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s", i ? " " : "", words->items[i]);
}

static struct registry_entry registry_run_entry(const struct sandbox *s,
						char command[REGISTRY_COMMAND], const char *memory)
{
	registry_run_join(&s->program.argv, command, REGISTRY_COMMAND);
	return (struct registry_entry){.kind = REGISTRY_RUN,
				       .id = s->id,
				       .image = s->spec->image,
				       .command = command,
				       .memory = memory,
				       .started_us = monotonic_us()};
}

int registry_run_enter(const struct sandbox *s, struct registration *out, struct err *e)
{
	char command[REGISTRY_COMMAND];
	const struct registry_entry entry = registry_run_entry(s, command, "");

	return registry_enter(s->spec->name, &entry, out, e);
}

void registry_run_add_memory(const struct sandbox *s, const struct registration *r)
{
	char command[REGISTRY_COMMAND];
	char memory[PATH_MAX];
	struct registry_entry entry;

	if (r->fd < 0 || cgroup_memory_file(&s->cgroup, memory))
		return;
	entry = registry_run_entry(s, command, memory);
	registry_write(r, &entry);
}
