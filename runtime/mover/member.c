/*
 * member - write one member of a tar: its header, and the data of a file.
 */
#include "mover/member.h"

#include <errno.h>
#include <fcntl.h>

#include "inside/sys.h"
#include "mover/linked.h"
#include "mover/note.h"
#include "mover/output.h"
#include "mover/tar_write.h"

#define MEMBER_FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

struct tar_entry member_entry;
bool member_at_top = true;

void member_miss(const char *text, long error)
{
	if (member_at_top)
		note_failure(text, member_entry.name, error);
	else
		note_left_out(text, member_entry.name, error);
}

void member_header(enum tar_kind kind, const struct stat *st)
{
	member_entry.kind = kind;
	member_entry.mode = st->st_mode & TAR_MODE;
	member_entry.size = kind == TAR_FILE ? st->st_size : 0;
	member_entry.mtime = st->st_mtim.tv_sec;
	member_at_top = false;
	output_used(tar_write_header(output_room(TAR_WRITE_MOST), &member_entry));
}

long member_open(int dir, const char *last, mode_t type, struct stat *st)
{
	long fd = sys_openat(dir, last, MEMBER_FLAGS | (type == S_IFDIR ? O_DIRECTORY : 0), 0);
	long error;

	if (fd < 0)
		return fd;
	error = sys2(__NR_fstat, fd, st);
	if (error >= 0 && (st->st_mode & S_IFMT) != type)
		error = -ESTALE; /* it was another one a moment ago */
	if (error < 0)
		sys_close((int)fd);
	return error < 0 ? error : fd;
}

/* A file that is in the tar by another name. */
static bool member_is_linked(const struct stat *st)
{
	const char *other = st->st_nlink > 1 ? linked_find(st) : NULL;
	size_t i = 0;

	if (!other)
		return false;
	for (; other[i]; i++)
		member_entry.link[i] = other[i];
	member_entry.link[i] = '\0';
	member_header(TAR_HARD_LINK, st);
	return true;
}

void member_file(int dir, const char *last)
{
	struct stat st = {0};
	long fd = member_open(dir, last, S_IFREG, &st);
	long error;

	if (fd < 0) {
		member_miss("open", fd);
		return;
	}
	if (!member_is_linked(&st)) {
		member_header(TAR_FILE, &st);
		if (st.st_nlink > 1)
			linked_add(&st, member_entry.name);
		if (output_file((int)fd, st.st_size, &error))
			member_miss(error ? "read" : "has become shorter", error);
	}
	sys_close((int)fd);
}

void member_link(int dir, const char *last)
{
	struct stat st = {0};
	long n = sys4(__NR_newfstatat, dir, last, &st, AT_SYMLINK_NOFOLLOW);

	if (n >= 0)
		n = sys4(__NR_readlinkat, dir, last, member_entry.link, TAR_NAME_MOST);
	if (n < 0) {
		member_miss("read a link", n);
		return;
	}
	member_entry.link[n] = '\0';
	member_header(TAR_LINK, &st);
}
