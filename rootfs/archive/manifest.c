/*
 * manifest - hash everything in an image: mtree, sorted, SHA-256.
 */
#include "manifest.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/say.h"
#include "fs/walk.h"
#include "interrupt.h"
#include "reader.h"

#define MANIFEST_MAX_BYTES (1u << 30)
#define ROOT               "./rootfs"
#define DEPTH_MAX          200 /* real images are far less deep */

struct hashing {
	struct mtree *mtree;
	uid_t uid; /* of the tree's owner */
	gid_t gid;
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

/* Swap the owner's id with 0, so that another owner's file stays another owner's. */
static uint32_t manifest_id(uint32_t id, uint32_t owner)
{
	return id == owner ? 0 : id ? id : owner;
}

static int manifest_hash_entry(struct hashing *h, int dir_fd, const char *name, const char *path,
			       const struct stat *st, struct err *e)
{
	struct stat entry = *st;
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
	entry.st_uid = manifest_id(st->st_uid, h->uid);
	entry.st_gid = manifest_id(st->st_gid, h->gid);
	return mtree_add(h->mtree, path, &entry, n ? link : NULL, fd, e);
}

static int manifest_enter(struct walk *w, struct err *e)
{
	if (w->depth > DEPTH_MAX)
		return err_input(e, "directories are nested deeper than %d: %.200s", DEPTH_MAX,
				 w->path);
	return walk_enter(w, walk_open(w), -1) ? err_sys(e, "open %s", w->path) : 0;
}

/* Parents first, names sorted by bytes. */
static int manifest_hash_tree(struct hashing *h, int root_fd, struct err *e)
{
	auto_walk struct walk w = {.room = SIZE_MAX};
	struct stat st;

	if (fstat(root_fd, &st) || walk_begin(&w, root_fd, -1, ROOT))
		return err_sys(e, "read %s", ROOT);
	h->uid = st.st_uid;
	h->gid = st.st_gid;
	if (manifest_hash_entry(h, root_fd, ".", ROOT, &st, e))
		return -1;
	while (walk_next(&w) > 0) {
		if (interrupt_check(e))
			return -1;
		if (fstatat(w.dir_fd, w.name, &st, AT_SYMLINK_NOFOLLOW))
			return err_sys(e, "stat %s", w.path);
		if (manifest_hash_entry(h, w.dir_fd, w.name, w.path, &st, e) ||
		    (S_ISDIR(st.st_mode) && manifest_enter(&w, e)))
			return -1;
	}
	return 0;
}

/* Add the identity part as an entry: a file that exists only in memory. */
static int manifest_hash_config(struct mtree *mtree, const struct meta *meta, struct err *e)
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
	if (manifest_hash_config(h.mtree, meta, e) || manifest_hash_tree(&h, root_fd, e)) {
		mtree_discard(h.mtree);
		return -1;
	}
	if (size_bytes)
		*size_bytes = h.size_bytes;
	return mtree_finish(h.mtree, e);
}

static int manifest_by_path(const void *a, const void *b)
{
	const struct line *x = a;
	const struct line *y = b;
	size_t shorter = x->path_length < y->path_length ? x->path_length : y->path_length;
	int order = memcmp(x->path, y->path, shorter);

	return order ? order
		     : (x->path_length > y->path_length) - (x->path_length < y->path_length);
}

static void manifest_lines_fini(struct lines *l)
{
	buf_fini(&l->text);
	free(l->items);
}
#define auto_lines __attribute__((cleanup(manifest_lines_fini)))

static int manifest_lines_read(int fd, struct lines *out, struct err *e)
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
	out->items = own_zeroed(most + 1, sizeof(*out->items));
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
	qsort(out->items, out->count, sizeof(*out->items), manifest_by_path);
	return 0;
}

static bool manifest_same(const struct line *a, const struct line *b)
{
	return a->rest_length == b->rest_length && !memcmp(a->rest, b->rest, a->rest_length);
}

/* The path without "./". */
static void manifest_tell(FILE *out, const char *what, const struct line *line)
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
	if (manifest_lines_read(stored, &was, e) || manifest_lines_read(found, &is, e))
		return -1;
	while (i < was.count || j < is.count) {
		const char *what = NULL;
		int order = j >= is.count ? -1 : 1;
		const struct line *line;

		if (i < was.count && j < is.count)
			order = manifest_by_path(&was.items[i], &is.items[j]);
		line = order > 0 ? &is.items[j] : &was.items[i];
		if (order < 0)
			what = "missing";
		else if (order > 0)
			what = "added";
		else if (!manifest_same(&was.items[i], &is.items[j]))
			what = "changed";
		i += order <= 0;
		j += order >= 0;
		if (what && (*count)++ < lines_max)
			manifest_tell(out, what, line);
	}
	if (*count > lines_max)
		fprintf(out, "and %zu more\n", *count - lines_max);
	return 0;
}
