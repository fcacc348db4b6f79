/*
 * changes - which files below a directory appeared or changed during a run.
 */
#include "host/changes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

#define MAX_DEPTH 64

static void add_mark(struct file_marks *m, const char *path, const struct stat *st)
{
	/* Grow by doubling whenever the count is a power of two. */
	if ((m->count & (m->count - 1)) == 0) {
		size_t capacity = m->count ? m->count * 2 : 1;

		m->items = realloc(m->items, capacity * sizeof(*m->items));
		if (!m->items)
			abort();
	}
	m->items[m->count++] = (struct file_mark){
		.path = strdup(path),
		.size_bytes = (uint64_t)st->st_size,
		.inode = st->st_ino,
		.changed_ns = st->st_ctim.tv_sec * 1000000000ll + st->st_ctim.tv_nsec,
	};
}

static void look(int dir_fd, const char *prefix, int depth, struct file_marks *m);

static void look_at(int dir_fd, const char *name, const char *prefix, int depth,
		    struct file_marks *m)
{
	auto_free char *path = NULL;
	auto_fd int child = -1;
	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return;
	if (asprintf(&path, "%s%s%s", prefix, *prefix ? "/" : "", name) < 0)
		abort();
	if (S_ISREG(st.st_mode))
		add_mark(m, path, &st);
	if (!S_ISDIR(st.st_mode))
		return;
	if (depth == MAX_DEPTH) {
		m->truncated = true;
		return;
	}
	child = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (child >= 0)
		look(child, path, depth + 1, m);
}

static void look(int dir_fd, const char *prefix, int depth, struct file_marks *m)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (m->room || !m->truncated) && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (m->room) {
			m->room--;
			look_at(dir_fd, entry->d_name, prefix, depth, m);
		} else {
			m->truncated = true;
		}
	}
	if (dir)
		closedir(dir);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct file_mark *)a)->path, ((const struct file_mark *)b)->path);
}

void changes_look(int dir_fd, size_t most, struct file_marks *out)
{
	*out = (struct file_marks){.room = most};
	look(dir_fd, "", 0, out);
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), by_path);
}

void changes_list(const struct file_marks *before, const struct file_marks *after,
		  struct output_files *out)
{
	for (size_t i = 0; i < after->count; i++) {
		const struct file_mark *now = &after->items[i];
		const struct file_mark *old =
			before->count
				? bsearch(now, before->items, before->count, sizeof(*now), by_path)
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
