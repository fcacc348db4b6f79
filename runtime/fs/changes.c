/*
 * changes - list the files below a directory that appeared or changed during a run.
 */
#include "fs/changes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"
#include "fs/walk.h"

#define MAX_DEPTH 64

static void changes_add_mark(struct file_marks *m, const char *path, const struct stat *st)
{
	m->items = own_grow(m->items, m->count, sizeof(*m->items));
	m->items[m->count++] = (struct file_mark){
		.path = own_strdup(path),
		.size_bytes = (uint64_t)st->st_size,
		.inode = st->st_ino,
		.changed_ns = st->st_ctim.tv_sec * 1000000000ll + st->st_ctim.tv_nsec,
	};
}

static void changes_look_at(struct walk *w, struct file_marks *m)
{
	struct stat st;

	if (fstatat(w->dir_fd, w->name, &st, AT_SYMLINK_NOFOLLOW))
		return;
	if (S_ISREG(st.st_mode))
		changes_add_mark(m, w->path, &st);
	if (S_ISDIR(st.st_mode) && w->depth > MAX_DEPTH)
		m->truncated = true;
	else if (S_ISDIR(st.st_mode))
		(void)walk_enter(w, walk_open(w), -1);
}

static int changes_by_path(const void *a, const void *b)
{
	return strcmp(((const struct file_mark *)a)->path, ((const struct file_mark *)b)->path);
}

void changes_look(int dir_fd, size_t most, struct file_marks *out)
{
	auto_walk struct walk w = {.room = most};

	*out = (struct file_marks){0};
	if (walk_begin(&w, dir_fd, -1, ""))
		return;
	while (walk_next(&w) > 0)
		changes_look_at(&w, out);
	out->truncated |= w.cut;
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), changes_by_path);
}

void changes_list(const struct file_marks *before, const struct file_marks *after,
		  struct output_files *out)
{
	for (size_t i = 0; i < after->count; i++) {
		const struct file_mark *now = &after->items[i];
		const struct file_mark *old = before->count
						      ? bsearch(now, before->items, before->count,
								sizeof(*now), changes_by_path)
						      : NULL;

		if (old && old->inode == now->inode && old->size_bytes == now->size_bytes &&
		    old->changed_ns == now->changed_ns)
			continue;
		output_files_add(out, now->path, now->size_bytes, old ? "changed" : "new");
	}
	out->dropped += after->truncated;
}

void changes_fini(struct file_marks *m)
{
	for (size_t i = 0; i < m->count; i++)
		free(m->items[i].path);
	free(m->items);
	*m = (struct file_marks){0};
}
