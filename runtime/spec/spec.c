/*
 * spec - the hardened defaults, and the arena that a spec's strings live in.
 */
#include "spec/spec.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (1024ull * 1024)

/* Every block is a list node in front of its bytes; all are freed together. */
struct spec_arena {
	struct spec_arena *next;
	char bytes[];
};

static char *arena_bytes(struct sandbox_spec *s, size_t size)
{
	struct spec_arena *block = malloc(sizeof(*block) + size);

	if (!block)
		abort();
	block->next = s->arena;
	s->arena = block;
	return block->bytes;
}

char *spec_strndup(struct sandbox_spec *s, const char *text, size_t length)
{
	char *copy = arena_bytes(s, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *spec_strdup(struct sandbox_spec *s, const char *text)
{
	return spec_strndup(s, text, strlen(text));
}

char *spec_printf(struct sandbox_spec *s, const char *format, ...)
{
	char *text;
	char *copy;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vasprintf(&text, format, ap);
	va_end(ap);
	if (n < 0)
		abort();
	copy = spec_strndup(s, text, (size_t)n);
	free(text);
	return copy;
}

void spec_list_add(struct sandbox_spec *s, struct string_list *list, const char *text)
{
	char **items = realloc(list->items, (list->count + 2) * sizeof(*items));

	if (!items)
		abort();
	items[list->count++] = spec_strdup(s, text);
	items[list->count] = NULL;
	list->items = items;
}

struct mount_spec *spec_add_mount(struct sandbox_spec *s, enum mount_kind kind, const char *target)
{
	struct mount_spec *m = realloc(s->mounts, (s->mount_count + 1) * sizeof(*m));

	if (!m)
		abort();
	s->mounts = m;
	m += s->mount_count++;
	*m = (struct mount_spec){.kind = kind,
				 .target = spec_strdup(s, target),
				 .source_fd = -1,
				 .uid = -1,
				 .gid = -1};
	return m;
}

static void set_rlimit(struct sandbox_spec *s, int resource, rlim_t soft, rlim_t hard)
{
	s->rlimits[resource] = (struct rlimit_spec){
		true, true, {soft, hard}
        };
}

void spec_init(struct sandbox_spec *s)
{
	*s = (struct sandbox_spec){
		.stop_signal = SIGTERM,
		.limits =
			{
				 .memory_bytes = 512 * MIB,
				 .swap_bytes = 0,
				 .pids = 64,
				 .cpu_quota_us = 100000,
				 .cpu_period_us = 100000,
				 .cpu_time_ms = SPEC_UNLIMITED,
				 .wall_time_ms = SPEC_UNLIMITED,
				 .output_bytes = 64 * MIB,
				 .shm_bytes = 64 * MIB,
				 },
		.no_new_privileges = true,
	};
	/* SIGPENDING also bounds POSIX timers: each holds a queued signal (timer_create(2)). */
	/* 1 and not 0: see SPEC_NO_CORE. */
	set_rlimit(s, RLIMIT_CORE, SPEC_NO_CORE, SPEC_NO_CORE);
	set_rlimit(s, RLIMIT_NOFILE, 1024, 4096);
	set_rlimit(s, RLIMIT_FSIZE, 1024 * MIB, 1024 * MIB);
	set_rlimit(s, RLIMIT_SIGPENDING, 1024, 1024);
	set_rlimit(s, RLIMIT_MSGQUEUE, 0, 0);
	set_rlimit(s, RLIMIT_MEMLOCK, 65536, 65536);
	set_rlimit(s, RLIMIT_STACK, 8 * MIB, 64 * MIB);
	set_rlimit(s, RLIMIT_NICE, 0, 0);
	set_rlimit(s, RLIMIT_RTPRIO, 0, 0);
}

void spec_fini(struct sandbox_spec *s)
{
	struct spec_arena *block = s->arena;

	while (block) {
		struct spec_arena *next = block->next;

		free(block);
		block = next;
	}
	free(s->command.items);
	free(s->env.items);
	free(s->env_file.items);
	free(s->labels.items);
	free(s->mounts);
	*s = (struct sandbox_spec){0};
}
