/*
 * finish - cross-check what the flags said and add the default mounts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/path.h"
#include "spec/mount_flags.h"
#include "spec/spec.h"

#define MIB               (1024ull * 1024)
#define DEFAULT_TMP_BYTES (64 * MIB)

static int check_memory(struct sandbox_spec *s, struct err *e)
{
	struct limits *l = &s->limits;
	char memory[24];

	/* docker ignores a 0; its default is twice the memory, ours is no swap. */
	if (!l->swap_total_given || l->swap_total_bytes == 0)
		return 0;
	if (l->swap_total_bytes == SPEC_UNLIMITED) {
		l->swap_bytes = SPEC_UNLIMITED;
		return 0;
	}
	if (l->memory_bytes == SPEC_UNLIMITED)
		return err_input(e, "--memory-swap needs --memory: it is memory and swap together");
	if (l->swap_total_bytes < l->memory_bytes)
		return err_input(e,
				 "--memory-swap must be at least --memory (%s): it is memory and "
				 "swap together",
				 format_size(l->memory_bytes, memory));
	l->swap_bytes = l->swap_total_bytes - l->memory_bytes;
	return 0;
}

/* Three flags, one limit. A zero is docker's way of not giving one. */
static int check_cpu(struct sandbox_spec *s, struct err *e)
{
	struct limits *l = &s->limits;
	bool by_period = l->quota_given || l->period_given;

	if (l->cpus_given && l->cpus_milli && by_period)
		return err_input(
			e,
			"--cpus conflicts with --cpu-period and --cpu-quota: give one of the "
			"two");
	if (l->cpus_given && !by_period)
		l->cpu_quota_us = l->cpus_milli ? l->cpus_milli * 100 : SPEC_UNLIMITED;
	/* The default is one processor, whatever the period. */
	if (l->period_given && !l->quota_given)
		l->cpu_quota_us = l->cpu_period_us;
	return 0;
}

static int check_streams(const struct sandbox_spec *s, struct err *e)
{
	if (s->tty && s->json)
		return err_input(e, "--json conflicts with -t: a terminal has one mixed stream");
	if (s->code_file && !strcmp(s->code_file, "-") && s->interactive)
		return err_input(e, "--code - conflicts with -i: both read standard input");
	return 0;
}

static struct mount_spec *find_mount(struct sandbox_spec *s, const char *target)
{
	for (size_t i = 0; i < s->mount_count; i++) {
		if (!strcmp(s->mounts[i].target, target))
			return &s->mounts[i];
	}
	return NULL;
}

static int check_duplicates(struct sandbox_spec *s, struct err *e)
{
	for (size_t i = 0; i < s->mount_count; i++) {
		struct mount_spec *first = find_mount(s, s->mounts[i].target);

		if (first != &s->mounts[i])
			return err_input(e, "Duplicate mount point: %.200s", first->target);
		if (s->code_file && path_is_at_or_below(first->target, "/code"))
			return err_input(e, "--code and the mount on %.200s both want /code",
					 first->target);
	}
	return 0;
}

static void add_default(struct sandbox_spec *s, const char *target, uint64_t size, bool exec)
{
	struct mount_spec *m;

	if (find_mount(s, target))
		return;
	m = spec_add_mount(s, MOUNT_TMPFS, target);
	m->size_bytes = size;
	m->inodes = DEFAULT_TMPFS_INODES;
	m->mode = 01777;
	m->exec = exec;
}

static int by_target(const void *a, const void *b)
{
	return strcmp(((const struct mount_spec *)a)->target,
		      ((const struct mount_spec *)b)->target);
}

int spec_finish(struct sandbox_spec *s, struct err *e)
{
	if (check_memory(s, e) || check_cpu(s, e) || check_streams(s, e) || check_duplicates(s, e))
		return -1;
	add_default(s, "/tmp", DEFAULT_TMP_BYTES, false);
	add_default(s, "/dev/shm", s->limits.shm_bytes, false);
	/* A parent sorts before what lies below it, so mounts nest whatever order they came in. */
	qsort(s->mounts, s->mount_count, sizeof(*s->mounts), by_target);
	return 0;
}
