/*
 * manifest - the hashes of everything in an image: mtree, sorted, SHA-256.
 */
#include "manifest.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/say.h"
#include "reader.h"
#include "tree.h"

#define MANIFEST_MAX_BYTES (1u << 30)

struct hashing {
	struct mtree *mtree;
	uint64_t size_bytes;
};

struct line {
	const char *path;
	size_t path_length;
	const char *rest;
	size_t rest_length;
};

struct lines {
	struct buf text;
	struct line *items;
	size_t count;
};

static int hash_entry(int dir_fd, const char *name, const char *path, const struct stat *st,
		      void *context, struct err *e)
{
	struct hashing *h = context;
	char link[PATH_MAX];
	auto_fd int fd = -1;
	ssize_t n = 0;

	if (S_ISLNK(st->st_mode))
		n = readlinkat(dir_fd, name, link, sizeof(link) - 1);
	if (n < 0)
		return err_sys(e, "read link %s", path);
	link[n] = '\0';
	if (S_ISREG(st->st_mode)) {
		fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			return err_sys(e, "open %s", path);
		h->size_bytes += (uint64_t)st->st_size / (st->st_nlink ? st->st_nlink : 1);
	}
	return mtree_add(h->mtree, path, st, n ? link : NULL, fd, e);
}

/* The identity part as an entry: a file that exists only in memory. */
static int hash_config(struct mtree *mtree, const struct meta *meta, struct err *e)
{
	auto_fd int fd = memfd_create("config", MFD_CLOEXEC);
	auto_buf struct buf text = {0};
	struct stat st;

	meta_identity(meta, &text);
	if (fd < 0 || io_write_all(fd, text.data, text.length) || lseek(fd, 0, SEEK_SET) ||
	    fstat(fd, &st))
		return err_sys(e, "hash configuration");
	st.st_mode = S_IFREG | 0644;
	st.st_uid = 0;
	st.st_gid = 0;
	return mtree_add(mtree, "./config", &st, NULL, fd, e);
}

int manifest_write(int root_fd, const struct meta *meta, int out_fd, uint64_t *size_bytes,
		   struct err *e)
{
	struct hashing h = {.mtree = mtree_start(out_fd, e)};

	if (!h.mtree)
		return -1;
	if (hash_config(h.mtree, meta, e) || tree_walk(root_fd, "./rootfs", hash_entry, &h, e)) {
		mtree_discard(h.mtree);
		return -1;
	}
	if (size_bytes)
		*size_bytes = h.size_bytes;
	return mtree_finish(h.mtree, e);
}

static int by_path(const void *a, const void *b)
{
	const struct line *x = a;
	const struct line *y = b;
	size_t shorter = x->path_length < y->path_length ? x->path_length : y->path_length;
	int order = memcmp(x->path, y->path, shorter);

	return order ? order
		     : (x->path_length > y->path_length) - (x->path_length < y->path_length);
}

static void lines_fini(struct lines *l)
{
	buf_fini(&l->text);
	free(l->items);
}
#define auto_lines __attribute__((cleanup(lines_fini)))

static int lines_read(int fd, struct lines *out, struct err *e)
{
	const char *p;
	const char *end;
	size_t most = 0;

	if (lseek(fd, 0, SEEK_SET))
		return err_sys(e, "read manifest");
	if (io_read_fd(fd, "manifest", MANIFEST_MAX_BYTES, &out->text, e))
		return -1;
	p = buf_string(&out->text);
	end = p + out->text.length;
	for (const char *q = p; q < end; q++)
		most += *q == '\n';
	out->items = calloc(most + 1, sizeof(*out->items));
	if (!out->items)
		abort();
	for (const char *next; p < end; p = next) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		const char *space;

		stop = stop ? stop : end;
		next = stop < end ? stop + 1 : end;
		space = memchr(p, ' ', (size_t)(stop - p));
		if (*p != '.' || !space)
			continue;
		out->items[out->count++] = (struct line){.path = p,
							 .path_length = (size_t)(space - p),
							 .rest = space,
							 .rest_length = (size_t)(stop - space)};
	}
	qsort(out->items, out->count, sizeof(*out->items), by_path);
	return 0;
}

static bool same(const struct line *a, const struct line *b)
{
	return a->rest_length == b->rest_length && !memcmp(a->rest, b->rest, a->rest_length);
}

/* The path without "./". */
static void tell(FILE *out, const char *what, const struct line *line)
{
	fprintf(out, "%s ", what);
	if (line->path_length > 2)
		say_bytes(out, line->path + 2, line->path_length - 2);
	fputc('\n', out);
}

int manifest_compare(int stored, int found, FILE *out, size_t lines_max, size_t *count,
		     struct err *e)
{
	auto_lines struct lines was = {0};
	auto_lines struct lines is = {0};
	size_t i = 0;
	size_t j = 0;

	*count = 0;
	if (lines_read(stored, &was, e) || lines_read(found, &is, e))
		return -1;
	while (i < was.count || j < is.count) {
		const char *what = NULL;
		int order = j >= is.count ? -1 : 1;
		const struct line *line;

		if (i < was.count && j < is.count)
			order = by_path(&was.items[i], &is.items[j]);
		line = order > 0 ? &is.items[j] : &was.items[i];
		if (order < 0)
			what = "missing";
		else if (order > 0)
			what = "added";
		else if (!same(&was.items[i], &is.items[j]))
			what = "changed";
		i += order <= 0;
		j += order >= 0;
		if (what && (*count)++ < lines_max)
			tell(out, what, line);
	}
	if (*count > lines_max)
		fprintf(out, "and %zu more\n", *count - lines_max);
	return 0;
}
