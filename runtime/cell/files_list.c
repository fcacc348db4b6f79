/*
 * files_list - what is below a session's /workspace, as JSON.
 *
 * Directories wait in a queue as paths, and each is opened from the root again when its turn comes:
 * one descriptor whatever the depth. The queue holds only paths that were
 * written to the listing, so that listing's bound is its bound as well.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/utf8.h"
#include "cell/files.h"
#include "cell/files_reach.h"

struct names {
	char **items;
	size_t count;
};

struct waiting {
	char *path; /* owned; "" is the root */
	uint32_t depth;
};

struct listing {
	const struct files_reach *r;
	struct buf *json;
	size_t begin; /* where in json the array begins */
	struct files_listed *out;
	bool full; /* a bound other than depth was reached */
	struct waiting *queue;
	size_t head;
	size_t count;
};

/* Doubles whenever the count is a power of two. */
static void *grow(void *items, size_t count, size_t size)
{
	if (count & (count - 1))
		return items;
	items = reallocarray(items, count ? count * 2 : 1, size);
	if (!items)
		abort();
	return items;
}

static char *copy_of(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		abort();
	return copy;
}

static void names_fini(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->items[i]);
	free(n->items);
}
#define auto_names __attribute__((cleanup(names_fini)))

static void listing_fini(struct listing *l)
{
	for (; l->head < l->count; l->head++)
		free(l->queue[l->head].path);
	free(l->queue);
}
#define auto_listing __attribute__((cleanup(listing_fini)))

static void wait_in_queue(struct listing *l, const char *path, uint32_t depth)
{
	l->queue = grow(l->queue, l->count, sizeof(*l->queue));
	l->queue[l->count++] = (struct waiting){.path = copy_of(path), .depth = depth};
}

static void stop(struct listing *l)
{
	l->full = true;
	l->out->truncated = true;
}

/* "key":"text", and where that loses bytes, "key_hex":"ff00". */
static void add_text(struct buf *b, const char *key, const char *text)
{
	buf_printf(b, "\"%s\":", key);
	buf_json_text(b, text);
	if (utf8_is_valid(text, strlen(text)))
		return;
	buf_printf(b, ",\"%s_hex\":\"", key);
	for (; *text; text++)
		buf_printf(b, "%02x", (unsigned char)*text);
	buf_text(b, "\"");
}

static void add_target(struct buf *b, int dir_fd, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir_fd, name, target, sizeof(target) - 1);

	if (n < 0)
		return; /* it is something else by now */
	target[n] = '\0';
	buf_text(b, ",");
	add_text(b, "target", target);
}

/* `name` in dir_fd; "" is dir_fd itself, opened with O_PATH. */
static void add_entry(struct listing *l, int dir_fd, const char *name, const char *path,
		      uint32_t depth)
{
	auto_buf struct buf b = {0};
	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return; /* gone by now */
	buf_text(&b, l->out->entries ? ",{" : "{");
	add_text(&b, "path", path);
	buf_printf(&b,
		   ",\"type\":\"%s\",\"size\":%" PRId64 ",\"allocated\":%" PRId64
		   ",\"mode\":\"%04o\",\"mtime\":%" PRId64,
		   files_reach_type(st.st_mode), (int64_t)st.st_size, (int64_t)st.st_blocks * 512,
		   st.st_mode & 07777, (int64_t)st.st_mtim.tv_sec);
	if (S_ISLNK(st.st_mode))
		add_target(&b, dir_fd, name);
	buf_text(&b, "}");
	if (l->json->length - l->begin + b.length + 1 > l->r->rules->max_list_bytes) {
		stop(l);
		return;
	}
	buf_add(l->json, b.data, b.length);
	l->out->entries++;
	if (!S_ISDIR(st.st_mode) || files_reach_is_mount(dir_fd, name))
		return;
	if (depth < l->r->rules->max_depth)
		wait_in_queue(l, path, depth + 1);
	else
		l->out->truncated = true;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* As many names as may still be listed, sorted. */
static int read_names(struct listing *l, int dir_fd, struct names *out)
{
	auto_entries DIR *dir = files_reach_entries(dir_fd);
	struct dirent *entry;

	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		if (files_is_dot(entry->d_name))
			continue;
		if (out->count >= l->r->rules->max_entries - l->out->entries) {
			l->out->truncated = true;
			break;
		}
		out->items = grow(out->items, out->count, sizeof(*out->items));
		out->items[out->count++] = copy_of(entry->d_name);
	}
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), by_bytes);
	return 0;
}

/* Of any depth: one call takes no more than PATH_MAX, so a long path is walked in parts. */
static int open_deep(int root_fd, const char *path)
{
	auto_fd int dir_fd = -1;
	size_t left = strlen(path);

	while (left > FILES_PATH_BYTES_MAX) {
		char part[FILES_PATH_BYTES_MAX + 1];
		const char *slash = memrchr(path, '/', FILES_PATH_BYTES_MAX);
		size_t length = slash ? (size_t)(slash - path) : 0;
		int fd;

		memcpy(part, path, length);
		part[length] = '\0';
		fd = resolve_open(dir_fd < 0 ? root_fd : dir_fd, part, O_PATH | O_DIRECTORY,
				  FILES_BENEATH);
		if (fd < 0)
			return -1;
		own_close(&dir_fd);
		dir_fd = fd;
		path += length + 1;
		left -= length + 1;
	}
	return resolve_open(dir_fd < 0 ? root_fd : dir_fd, left ? path : ".", O_PATH | O_DIRECTORY,
			    FILES_BENEATH);
}

static int could_not(struct listing *l, struct err *e)
{
	if (errno == EACCES || errno == EPERM) {
		l->out->unread++;
		return 0;
	}
	if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
		return 0; /* gone, or replaced */
	return files_reach_error(*l->r->path.text ? l->r->path.text : "/workspace", e);
}

static int list_directory(struct listing *l, const struct waiting *w, struct err *e)
{
	auto_names struct names names = {0};
	auto_fd int fd = open_deep(l->r->root_fd, w->path);

	if (fd < 0 || read_names(l, fd, &names))
		return could_not(l, e);
	for (size_t i = 0; i < names.count && !l->full; i++) {
		auto_free char *path = NULL;

		if (files_reach_late(l->r)) {
			stop(l);
			break;
		}
		if (asprintf(&path, "%s%s%s", w->path, *w->path ? "/" : "", names.items[i]) < 0)
			abort();
		add_entry(l, fd, names.items[i], path, w->depth);
	}
	return 0;
}

/* The directory that was asked for, which may not be missing; or what is there instead. */
static int begin(struct listing *l, struct err *e)
{
	const char *path = l->r->path.text;
	auto_fd int fd =
		resolve_open(l->r->root_fd, *path ? path : ".", O_PATH | O_NOFOLLOW, FILES_BENEATH);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return files_reach_error(*path ? path : "/workspace", e);
	if (S_ISDIR(st.st_mode))
		wait_in_queue(l, path, 1);
	else if (l->r->path.directory)
		return err_input(e, "%.300s/: a %s, not a directory", path,
				 files_reach_type(st.st_mode));
	else
		add_entry(l, fd, "", path, 1);
	return 0;
}

static int list_all(struct listing *l, struct err *e)
{
	if (begin(l, e))
		return -1;
	while (l->head < l->count && !l->full) {
		auto_free char *path = l->queue[l->head].path;
		uint32_t depth = l->queue[l->head++].depth;

		if (l->out->entries >= l->r->rules->max_entries || files_reach_late(l->r)) {
			stop(l);
			break;
		}
		if (list_directory(l, &(struct waiting){.path = path, .depth = depth}, e))
			return -1;
	}
	return 0;
}

int files_list(int root_fd, const char *path, const struct files_rules *rules, struct buf *json,
	       struct files_listed *listed, struct err *e)
{
	auto_reach struct files_reach r = {0};
	auto_listing struct listing l = {
		.r = &r, .json = json, .begin = json->length, .out = listed};

	*listed = (struct files_listed){0};
	if (files_reach_begin(&r, root_fd, path, rules, e))
		return -1;
	buf_text(json, "[");
	if (list_all(&l, e)) {
		json->length = l.begin;
		json->data[l.begin] = '\0';
		return -1;
	}
	buf_text(json, "]");
	return 0;
}
