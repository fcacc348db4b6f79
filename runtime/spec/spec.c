/*
 * spec - the hardened defaults, and the arena that owns a spec's strings.
 */
#include "spec/spec.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "spec/finish.h"
#include "spec/run_settings.h"

#define MIB (1024ull * 1024)

/* Each block follows a list node; all are freed together. */
struct spec_block {
	struct spec_block *next;
	char bytes[];
};

struct spec_arena {
	struct spec_block *blocks;
};

static char *spec_arena_bytes(const struct sandbox_spec *s, size_t size)
{
	struct spec_block *block = own_resize(NULL, 1, sizeof(*block) + size);

	block->next = s->arena->blocks;
	s->arena->blocks = block;
	return block->bytes;
}

char *spec_strndup(const struct sandbox_spec *s, const char *text, size_t length)
{
	char *copy = spec_arena_bytes(s, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

void *spec_copy(const struct sandbox_spec *s, const void *bytes, size_t size)
{
	return memcpy(spec_arena_bytes(s, size), bytes, size);
}

char *spec_strdup(const struct sandbox_spec *s, const char *text)
{
	return spec_strndup(s, text, strlen(text));
}

char *spec_printf(const struct sandbox_spec *s, const char *format, ...)
{
	auto_free char *text = NULL;
	va_list ap;

	va_start(ap, format);
	text = own_vprintf(format, ap);
	va_end(ap);
	return spec_strdup(s, text);
}

void spec_list_add(const struct sandbox_spec *s, struct string_list *list, const char *text)
{
	char **items = own_resize(list->items, list->count + 2, sizeof(*items));

	items[list->count++] = spec_strdup(s, text);
	items[list->count] = NULL;
	list->items = items;
}

struct mount_spec *spec_add_mount(struct sandbox_spec *s, enum mount_kind kind, const char *target)
{
	struct mount_spec *m = own_resize(s->mounts, s->mount_count + 1, sizeof(*m));

	s->mounts = m;
	m += s->mount_count++;
	*m = (struct mount_spec){.kind = kind,
				 .target = spec_strdup(s, target),
				 .source_fd = -1,
				 .uid = -1,
				 .gid = -1};
	return m;
}

static int spec_compare_targets(const void *a, const void *b)
{
	return strcmp(((const struct mount_spec *)a)->target,
		      ((const struct mount_spec *)b)->target);
}

void spec_sort_mounts(struct mount_spec *mounts, size_t count)
{
	qsort(mounts, count, sizeof(*mounts), spec_compare_targets);
}

static void spec_set_rlimit(struct sandbox_spec *s, int resource, rlim_t soft, rlim_t hard)
{
	s->rlimits[resource] = (struct rlimit_spec){
		true, true, {soft, hard}
        };
}

void spec_init(struct sandbox_spec *s)
{
	struct setting_table table;

	*s = (struct sandbox_spec){
		.limits = {.cpu_time_ms = SPEC_UNLIMITED,
			   .wall_time_ms = SPEC_UNLIMITED,
			   .idle_ms = SPEC_UNLIMITED},
		.egress = {.log_bytes = EGRESS_LOG_BYTES    },
		.arena = own_zeroed(1, sizeof(*s->arena)),
		.deadline_signal = SIGINT,
	};
	table = run_settings_table(s);
	setting_defaults(&table, s);
	spec_decide_limits(s);
	/* SIGPENDING also bounds POSIX timers: each holds a queued signal (timer_create(2)). */
	/* 1 and not 0: see SPEC_NO_CORE. */
	spec_set_rlimit(s, RLIMIT_CORE, SPEC_NO_CORE, SPEC_NO_CORE);
	spec_set_rlimit(s, RLIMIT_NOFILE, 1024, 4096);
	spec_set_rlimit(s, RLIMIT_FSIZE, 1024 * MIB, 1024 * MIB);
	spec_set_rlimit(s, RLIMIT_SIGPENDING, 1024, 1024);
	spec_set_rlimit(s, RLIMIT_MSGQUEUE, 0, 0);
	spec_set_rlimit(s, RLIMIT_MEMLOCK, 65536, 65536);
	spec_set_rlimit(s, RLIMIT_STACK, 8 * MIB, 64 * MIB);
	spec_set_rlimit(s, RLIMIT_NICE, 0, 0);
	spec_set_rlimit(s, RLIMIT_RTPRIO, 0, 0);
}

/* Copy the arrays, but share the strings. */
static void spec_copy_network(struct sandbox_spec *s, const struct sandbox_spec *from)
{
	const struct egress_spec *other = &from->egress;
	struct egress_spec *own = &s->egress;
	bool is_session = own->is_session;

	free(own->rules);
	free(own->published);
	*own = *other;
	own->is_session = is_session;
	own->rules = own_zeroed(other->rule_count + 1, sizeof(*own->rules));
	own->published = own_zeroed(other->published_count + 1, sizeof(*own->published));
	for (size_t i = 0; i < other->rule_count; i++)
		own->rules[i] = other->rules[i];
	for (size_t i = 0; i < other->published_count; i++)
		own->published[i] = other->published[i];
	for (size_t i = 0; i < from->allow_private.count; i++)
		spec_list_add(s, &s->allow_private, from->allow_private.items[i]);
}

void spec_copy_limits(struct sandbox_spec *s, const struct sandbox_spec *from)
{
	s->limits = from->limits;
	s->asked = from->asked;
	memcpy(s->given, from->given, sizeof(s->given));
	s->writable = from->writable;
	s->writable_bytes = from->writable_bytes;
	s->ca = from->ca;
	spec_copy_network(s, from);
}

void spec_fini(struct sandbox_spec *s)
{
	struct spec_block *block = s->arena ? s->arena->blocks : NULL;

	while (block) {
		struct spec_block *next = block->next;

		free(block);
		block = next;
	}
	free(s->arena);
	free(s->command.items);
	free(s->env.items);
	free(s->env_file.items);
	free(s->allow_private.items);
	free(s->egress.rules);
	free(s->egress.published);
	free(s->mounts);
	*s = (struct sandbox_spec){0};
}
