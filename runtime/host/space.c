/*
 * space - find the directories in memory that were full when a program ended.
 */
#include "host/space.h"

#include <stdio.h>
#include <sys/vfs.h>

#define LEAST 65536 /* full with fewer free bytes than this, or than a 32nd of all */

static void space_judge(const char *path, int fd, struct verdict *v)
{
	struct full_place *place = &v->full[v->full_count];
	struct statfs fs;
	uint64_t size;
	uint64_t free;

	if (v->full_count == VERDICT_PLACES || fd < 0 || fstatfs(fd, &fs))
		return;
	size = (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize;
	free = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
	place->files = fs.f_files && !fs.f_ffree ? (uint64_t)fs.f_files : 0;
	if (!place->files && free >= (size / 32 < LEAST ? size / 32 : LEAST))
		return;
	place->size_bytes = size;
	snprintf(place->path, sizeof(place->path), "%s", path);
	v->full_count++;
}

void space_look(const struct root_plan *root, const int *fds, unsigned count, int stage,
		struct verdict *v)
{
	unsigned next = 0;

	for (size_t i = 0; i < root->count; i++) {
		const struct root_op *op = &root->ops[i];

		const char *path = op->kind == ROOT_OVERLAY ? "/" : op->path - 1;

		if (op->is_stage)
			space_judge(path, stage, v);
		else if (op->is_space && next < count)
			space_judge(path, fds[next++], v);
	}
}
