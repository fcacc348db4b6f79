/*
 * remove_tree - remove a file or directory with everything in it.
 */
#include "fs/remove_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/fd_path.h"
#include "base/own.h"
#include "base/random.h"
#include "fs/names.h"
#include "fs/resolve.h"
#include "loop/clock.h"

enum {
	NAMES_AT_ONCE = 1000, /* leave the rest of a directory to the next pass */
	PASSES_IN_VAIN = 100, /* in a row: listed entries cannot be removed */
};

struct removal {
	int top_fd; /* the directory to be removed; borrowed */
	uint64_t deadline_ms;
	unsigned long moves;     /* entries removed, or moved up */
	unsigned passes_in_vain; /* since the last move */
};

/* Handle one entry; -1 with errno stops everything. */
typedef int treat(struct removal *r, int dir_fd, const char *name);

/* -1 with errno; ENOTEMPTY for a directory in use, EXDEV for a mount. */
static int remove_tree_one(struct removal *r, int dir_fd, const char *name)
{
	if (resolve_is_mount(dir_fd, name)) {
		errno = EXDEV;
		return -1;
	}
	if (unlinkat(dir_fd, name, 0) && (errno != EISDIR || unlinkat(dir_fd, name, AT_REMOVEDIR)))
		return -1;
	r->moves++;
	return 0;
}

/* The entry was replaced meanwhile: no error, the next pass handles the new one. */
static bool remove_tree_moved_about(void)
{
	return errno == ENOENT || errno == ENOTDIR || errno == EISDIR || errno == ELOOP;
}

static int remove_tree_failed(void)
{
	return remove_tree_moved_about() ? 0 : -1;
}

/* Change the mode of a directory before removing it. */
static int remove_tree_open(int dir_fd, const char *name)
{
	auto_fd int fd = resolve_open(dir_fd, name, O_PATH | O_DIRECTORY, RESOLVE_NO_WAY_OUT);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	if ((st.st_mode & S_IRWXU) != S_IRWXU && chmod(fd_path(fd).text, S_IRWXU))
		return -1;
	return take_fd(&fd);
}

static int remove_tree_in_time(const struct removal *r)
{
	if (monotonic_ms() < r->deadline_ms)
		return 0;
	errno = ETIMEDOUT;
	return -1;
}

/* Give up when passes remove nothing: some file systems list entries that they then do not find. */
static int remove_tree_after_pass(struct removal *r, unsigned long moves_before)
{
	if (r->moves != moves_before)
		r->passes_in_vain = 0;
	else if (++r->passes_in_vain == PASSES_IN_VAIN) {
		errno = EBUSY;
		return -1;
	}
	return remove_tree_in_time(r);
}

/* Returns the number of entries; -1 with errno. */
static long remove_tree_each_entry(struct removal *r, int dir_fd, treat *treat_one)
{
	auto_list struct list names = {0};

	if (names_read(dir_fd, NAMES_AT_ONCE, &names) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		if (remove_tree_in_time(r) || treat_one(r, dir_fd, names.items[i]))
			return -1;
	}
	return (long)names.count;
}

/*
 * For entries below the top: remove, or move up. Moving a directory rewrites its "..", which needs
 * write access to it.
 */
static int remove_tree_or_lift(struct removal *r, int dir_fd, const char *name)
{
	auto_fd int fd = -1;
	uint64_t number;
	char to[32];

	if (!remove_tree_one(r, dir_fd, name))
		return 0;
	if (errno != ENOTEMPTY)
		return remove_tree_failed();
	random_bytes(&number, sizeof(number));
	snprintf(to, sizeof(to), ".glovebox-%016llx", (unsigned long long)number);
	fd = remove_tree_open(dir_fd, name);
	if (fd < 0 || renameat2(dir_fd, name, r->top_fd, to, RENAME_NOREPLACE))
		return remove_tree_failed();
	r->moves++;
	return 0;
}

/*
 * For entries in the top: remove, or empty. Leave a directory that is not empty yet to the next
 * pass.
 */
static int remove_tree_or_empty(struct removal *r, int dir_fd, const char *name)
{
	auto_fd int fd = -1;

	if (!remove_tree_one(r, dir_fd, name))
		return 0;
	if (errno != ENOTEMPTY)
		return remove_tree_failed();
	fd = remove_tree_open(dir_fd, name);
	if (fd < 0)
		return remove_tree_failed();
	if (remove_tree_each_entry(r, fd, remove_tree_or_lift) < 0)
		return -1;
	return remove_tree_one(r, dir_fd, name) && errno != ENOTEMPTY ? remove_tree_failed() : 0;
}

static int remove_tree_empty(struct removal *r, int dir_fd, const char *name)
{
	auto_fd int top = remove_tree_open(dir_fd, name);
	unsigned long before;
	long seen;

	if (top < 0)
		return remove_tree_failed();
	r->top_fd = top;
	do {
		before = r->moves;
		seen = remove_tree_each_entry(r, top, remove_tree_or_empty);
	} while (seen > 0 && !remove_tree_after_pass(r, before));
	return seen ? -1 : 0;
}

int remove_tree(int dir_fd, const char *name, uint64_t deadline_ms)
{
	struct removal r = {.deadline_ms = deadline_ms};
	unsigned long before = 0;

	while (remove_tree_one(&r, dir_fd, name)) {
		if (errno == ENOENT)
			return 0;
		if (errno == ENOTEMPTY) {
			if (remove_tree_empty(&r, dir_fd, name))
				return -1;
		} else if (!remove_tree_moved_about()) {
			return -1;
		}
		if (remove_tree_after_pass(&r, before))
			return -1;
		before = r.moves;
	}
	return 0;
}
