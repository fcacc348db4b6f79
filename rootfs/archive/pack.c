/*
 * pack - pack the tree of an image as one layer: a tar archive.
 */
#include "pack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "first_names.h"
#include "fs/walk.h"
#include "interrupt.h"

#define CHUNK_BYTES (128u << 10)

struct tree {
	const struct packing *to;
	struct first_names names;
};

static int pack_chunk(const struct packing *p, int fd, char *chunk, size_t length, struct err *e)
{
	ssize_t n = (ssize_t)length;

	if (interrupt_check(e))
		return -1;
	if (!p->zeros)
		do
			n = read(fd, chunk, length);
		while (n < 0 && errno == EINTR && !interrupt_signal());
	if (n < 0)
		return err_sys(e, "read");
	if (n == 0)
		return err_set(e, ERR_SYSTEM, "it has become shorter");
	if (p->digest)
		digest_add(p->digest, chunk, (size_t)n);
	return writer_data(p->out, chunk, (size_t)n, e) ? -1 : (int)n;
}

static int pack_content(const struct packing *p, int fd, uint64_t size, struct err *e)
{
	static char chunk[CHUNK_BYTES]; /* zeros until the first read */
	int n;

	for (uint64_t left = size; left; left -= (uint64_t)n) {
		n = pack_chunk(p, fd, chunk, left < sizeof(chunk) ? left : sizeof(chunk), e);
		if (n < 0)
			return -1;
	}
	return 0;
}

/* Each field includes its end, so two entries never give the same bytes. */
static int pack_begin(const struct packing *p, struct entry *entry, struct err *e)
{
	if (p->change)
		p->change(p->context, entry);
	if (p->room && entry->size > *p->room)
		return err_input(e, "%.300s: with it, more than an image may hold is copied",
				 entry->path);
	if (p->room)
		*p->room -= entry->size;
	if (p->digest) {
		auto_free char *head = own_printf(
			"%d %o %" PRIu64 " %zu %zu ", (int)entry->type, (unsigned)entry->mode,
			entry->size, strlen(entry->path), entry->link ? strlen(entry->link) : 0);

		digest_add(p->digest, head, strlen(head));
		digest_add(p->digest, entry->path, strlen(entry->path));
		if (entry->link)
			digest_add(p->digest, entry->link, strlen(entry->link));
	}
	return writer_entry(p->out, entry, e);
}

static int pack_open_file(const struct packing *p, int fd, struct entry *entry, struct err *e)
{
	if (pack_begin(p, entry, e))
		return -1;
	return pack_content(p, fd, entry->size, e) ? err_prefix(e, "%.300s", entry->path) : 0;
}

static int pack_file(struct tree *t, const struct walk *w, struct entry *entry, struct err *e)
{
	auto_fd int fd = openat(w->dir_fd, w->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open %s", w->path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_SYSTEM, "%.300s is another file now", w->path);
	entry->mode = st.st_mode & 07777;
	entry->mtime = st.st_mtim;
	if (st.st_nlink > 1)
		entry->link = first_names_of(&t->names, &st, entry->path);
	if (entry->link)
		entry->type = ENTRY_HARDLINK;
	else
		entry->size = (uint64_t)st.st_size;
	return pack_open_file(t->to, fd, entry, e);
}

static int pack_symlink(const struct tree *t, const struct walk *w, struct entry *entry,
			struct err *e)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(w->dir_fd, w->name, target, sizeof(target) - 1);

	if (n < 0)
		return err_sys(e, "read link %s", w->path);
	target[n] = '\0';
	entry->type = ENTRY_SYMLINK;
	entry->link = target;
	n = pack_begin(t->to, entry, e);
	entry->link = NULL;
	return (int)n;
}

static int pack_directory(const struct tree *t, struct walk *w, struct entry *entry,
			  enum pack_choice choice, struct err *e)
{
	entry->type = ENTRY_DIRECTORY;
	if (choice == PACK_NOTHING_BELOW)
		return 0;
	if (choice == PACK_IT && pack_begin(t->to, entry, e))
		return -1;
	return walk_enter(w, walk_open(w), -1) ? err_sys(e, "open %s", w->path) : 0;
}

static int pack_entry(struct tree *t, struct walk *w, struct err *e)
{
	const char *prefix = t->to->prefix ? t->to->prefix : "";
	auto_free char *path = own_printf("%s%s", prefix, w->path);
	struct entry entry = {.type = ENTRY_FILE, .path = path};
	enum pack_choice choice = t->to->choose ? t->to->choose(t->to->context, w->path) : PACK_IT;
	struct stat st;

	if (fstatat(w->dir_fd, w->name, &st, AT_SYMLINK_NOFOLLOW))
		return err_sys(e, "stat %s", w->path);
	entry.mode = st.st_mode & 07777;
	if (S_ISDIR(st.st_mode))
		return pack_directory(t, w, &entry, choice, e);
	if (choice != PACK_IT)
		return 0;
	if (S_ISLNK(st.st_mode))
		return pack_symlink(t, w, &entry, e);
	if (S_ISREG(st.st_mode))
		return pack_file(t, w, &entry, e);
	return err_input(e, "%.300s is not a file, directory or link", w->path);
}

int pack_tree(const struct packing *p, int root_fd, struct err *e)
{
	auto_walk struct walk w = {.room = SIZE_MAX};
	struct tree t = {.to = p};
	int status = 0;

	if (walk_begin(&w, root_fd, -1, ""))
		return err_sys(e, "read the image");
	while (!status && walk_next(&w) > 0)
		status = interrupt_check(e) || pack_entry(&t, &w, e) ? -1 : 0;
	first_names_fini(&t.names);
	return status;
}

int pack_alone(const struct packing *p, int fd, const char *path, struct err *e)
{
	struct entry entry = {.type = ENTRY_DIRECTORY, .path = path};
	struct stat st;

	if (fstat(fd, &st))
		return err_sys(e, "stat %s", path);
	entry.mode = st.st_mode & 07777;
	entry.mtime = st.st_mtim;
	if (S_ISDIR(st.st_mode))
		return pack_begin(p, &entry, e);
	if (!S_ISREG(st.st_mode))
		return err_input(e, "%.300s is neither a file nor a directory", path);
	entry.type = ENTRY_FILE;
	entry.size = (uint64_t)st.st_size;
	return pack_open_file(p, fd, &entry, e);
}
