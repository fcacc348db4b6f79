/*
 * walk - visit everything in and below a directory, by descriptor.
 */
#include "fs/walk.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/own.h"
#include "fs/names.h"
#include "fs/resolve.h"

struct walk_level {
	int fd;
	int beside_fd;
	struct list names;
	size_t next;
	size_t path_length;
	unsigned depth; /* of its entries */
};

struct walk_put_off {
	char *path; /* owned */
	unsigned depth;
};

static void walk_level_fini(struct walk_level *l)
{
	own_close(&l->fd);
	own_close(&l->beside_fd);
	list_fini(&l->names);
}

static bool walk_is_directory(int dir_fd, const char *name)
{
	struct stat st;

	return !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

static void walk_directories_last(const struct walk_level *l)
{
	auto_free char **directories = own_zeroed(l->names.count + 1, sizeof(char *));
	size_t count = 0;
	size_t others = 0;

	for (size_t i = 0; i < l->names.count; i++) {
		if (walk_is_directory(l->fd, l->names.items[i]))
			directories[count++] = l->names.items[i];
		else
			l->names.items[others++] = l->names.items[i];
	}
	for (size_t i = 0; i < count; i++)
		l->names.items[others + i] = directories[i];
}

/* Takes both descriptors over. The text is the directory's path. */
static int walk_add_level(struct walk *w, int fd, int beside_fd, unsigned depth)
{
	struct walk_level l = {.fd = fd, .beside_fd = beside_fd, .depth = depth};
	int more = fd < 0 ? -1 : names_read(fd, w->room, &l.names);

	if (more < 0) {
		walk_level_fini(&l);
		return -1;
	}
	if (w->directories_last)
		walk_directories_last(&l);
	l.path_length = w->text.length;
	w->room -= l.names.count;
	w->cut |= more;
	w->levels = own_grow(w->levels, w->level_count, sizeof(*w->levels));
	w->levels[w->level_count++] = l;
	return 0;
}

int walk_begin(struct walk *w, int dir_fd, int beside_fd, const char *prefix)
{
	int fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);

	w->begun = true;
	w->root_fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
	buf_text(&w->text, prefix);
	w->prefix_length = w->text.length;
	return walk_add_level(w, fd, fcntl(beside_fd, F_DUPFD_CLOEXEC, 0), 1);
}

static int walk_to(struct walk *w, struct walk_level *l)
{
	w->dir_fd = l->fd;
	w->beside_fd = l->beside_fd;
	w->name = l->names.items[l->next++];
	w->depth = l->depth;
	buf_cut(&w->text, l->path_length);
	if (w->text.length)
		buf_text(&w->text, "/");
	buf_text(&w->text, w->name);
	w->path = buf_string(&w->text);
	return 1;
}

/* Open a path of any length in parts: one call accepts at most PATH_MAX bytes. */
static int walk_open_deep(const struct walk *w, char *path)
{
	auto_fd int fd = -1;
	size_t left = strlen(path);

	while (left >= PATH_MAX) {
		char *slash = memrchr(path, '/', PATH_MAX - 1);
		auto_fd int above = take_fd(&fd);

		*slash = '\0';
		fd = resolve_open(above < 0 ? w->root_fd : above, path, O_PATH | O_DIRECTORY,
				  RESOLVE_NO_WAY_OUT);
		if (fd < 0)
			return -1;
		left -= (size_t)(slash + 1 - path);
		path = slash + 1;
	}
	return resolve_open(fd < 0 ? w->root_fd : fd, path, O_PATH | O_DIRECTORY,
			    RESOLVE_NO_WAY_OUT);
}

static int walk_next_put_off(struct walk *w)
{
	struct walk_put_off *next = &w->put_off[w->put_off_next++];
	auto_free char *path = take_ptr(&next->path);

	buf_cut(&w->text, 0);
	buf_text(&w->text, path);
	w->path = buf_string(&w->text);
	return walk_add_level(w, walk_open_deep(w, path + w->prefix_length + !!w->prefix_length),
			      -1, next->depth);
}

int walk_next(struct walk *w)
{
	for (;;) {
		struct walk_level *l = w->level_count ? &w->levels[w->level_count - 1] : NULL;

		if (l && l->next < l->names.count)
			return walk_to(w, l);
		if (l) {
			walk_level_fini(l);
			w->level_count--;
		} else if (w->put_off_next == w->put_off_count) {
			return 0;
		} else if (walk_next_put_off(w)) {
			return -1;
		}
	}
}

int walk_open(const struct walk *w)
{
	return openat(w->dir_fd, w->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int walk_enter(struct walk *w, int dir_fd, int beside_fd)
{
	return walk_add_level(w, dir_fd, beside_fd, w->depth + 1);
}

void walk_put_off(struct walk *w)
{
	w->put_off = own_grow(w->put_off, w->put_off_count, sizeof(*w->put_off));
	w->put_off[w->put_off_count++] =
		(struct walk_put_off){.path = own_strdup(w->path), .depth = w->depth + 1};
}

void walk_fini(struct walk *w)
{
	while (w->level_count)
		walk_level_fini(&w->levels[--w->level_count]);
	while (w->put_off_next < w->put_off_count)
		free(w->put_off[w->put_off_next++].path);
	free(w->levels);
	free(w->put_off);
	buf_fini(&w->text);
	if (w->begun)
		own_close(&w->root_fd);
	*w = (struct walk){0};
}
