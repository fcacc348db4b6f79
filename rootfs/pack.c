/*
 * pack - the tree of an image as one layer: a tar archive.
 */
#include "pack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/walk.h"
#include "first_names.h"
#include "interrupt.h"

#define CHUNK_BYTES (128u << 10)

struct packing {
	struct writer *out;
	bool content;
	struct first_names names;
};

static int pack_chunk(const struct packing *p, int fd, char *chunk, size_t length, struct err *e)
{
	ssize_t n = (ssize_t)length;

	if (interrupt_check(e))
		return -1;
	if (p->content)
		do
			n = read(fd, chunk, length);
		while (n < 0 && errno == EINTR && !interrupt_signal());
	if (n < 0)
		return err_sys(e, "read");
	if (n == 0)
		return err_set(e, ERR_SYSTEM, "it has become shorter");
	return writer_data(p->out, chunk, (size_t)n, e) ? -1 : (int)n;
}

static int pack_content(const struct packing *p, int fd, uint64_t size, struct err *e)
{
	static char chunk[CHUNK_BYTES]; /* zeros until something is read */
	int n;

	for (uint64_t left = size; left; left -= (uint64_t)n) {
		n = pack_chunk(p, fd, chunk, left < sizeof(chunk) ? left : sizeof(chunk), e);
		if (n < 0)
			return -1;
	}
	return 0;
}

static int pack_file(struct packing *p, const struct walk *w, struct entry *entry, struct err *e)
{
	auto_fd int fd = openat(w->dir_fd, w->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open %s", w->path);
	entry->mtime = st.st_mtim;
	if (st.st_nlink > 1)
		entry->link = first_names_of(&p->names, &st, w->path);
	if (entry->link)
		entry->type = ENTRY_HARDLINK;
	else
		entry->size = (uint64_t)st.st_size;
	if (writer_entry(p->out, entry, e))
		return -1;
	return pack_content(p, fd, entry->size, e) ? err_prefix(e, "%.300s", w->path) : 0;
}

static int pack_symlink(struct packing *p, const struct walk *w, struct entry *entry, struct err *e)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(w->dir_fd, w->name, target, sizeof(target) - 1);

	if (n < 0)
		return err_sys(e, "read link %s", w->path);
	target[n] = '\0';
	entry->type = ENTRY_SYMLINK;
	entry->link = target;
	n = writer_entry(p->out, entry, e);
	entry->link = NULL;
	return (int)n;
}

static int pack_directory(struct packing *p, struct walk *w, struct entry *entry, struct err *e)
{
	entry->type = ENTRY_DIRECTORY;
	if (writer_entry(p->out, entry, e))
		return -1;
	return walk_enter(w, walk_open(w), -1) ? err_sys(e, "open %s", w->path) : 0;
}

static int pack_entry(struct packing *p, struct walk *w, struct err *e)
{
	struct entry entry = {.type = ENTRY_FILE, .path = w->path};
	struct stat st;

	if (fstatat(w->dir_fd, w->name, &st, AT_SYMLINK_NOFOLLOW))
		return err_sys(e, "stat %s", w->path);
	entry.mode = st.st_mode & 07777;
	if (S_ISDIR(st.st_mode))
		return pack_directory(p, w, &entry, e);
	if (S_ISLNK(st.st_mode))
		return pack_symlink(p, w, &entry, e);
	if (S_ISREG(st.st_mode))
		return pack_file(p, w, &entry, e);
	return err_input(e, "%.300s is no file, directory or link", w->path);
}

int pack_tree(int root_fd, struct writer *out, bool content, struct err *e)
{
	auto_walk struct walk w = {.room = SIZE_MAX};
	struct packing p = {.out = out, .content = content};
	int status = 0;

	if (walk_begin(&w, root_fd, -1, ""))
		return err_sys(e, "read the image");
	while (!status && walk_next(&w) > 0)
		status = pack_entry(&p, &w, e);
	first_names_fini(&p.names);
	return status;
}
