/*
 * place - make one member in a directory: a file, a directory, a link.
 */
#include "mover/place.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "inside/sys.h"
#include "mover/input.h"
#include "mover/note.h"

#define TRIES     16   /* against somebody who makes the name anew each time */
#define BLOCK     4096 /* of a file in memory: one of zeros becomes a hole */
#define OWNER_ALL 0700U

static void place_time(int fd, const char *name, const struct tar_entry *entry)
{
	struct timespec times[2] = {
		{.tv_nsec = UTIME_OMIT      },
		{ .tv_sec = entry->mtime, .tv_nsec = entry->mtime_ns},
	};

	(void)sys4(__NR_utimensat, fd, name, times, name ? AT_SYMLINK_NOFOLLOW : 0);
}

/* All that a member is made from. */
struct place_what {
	enum tar_kind kind;
	unsigned mode;
	const char *target;
	int target_fd;
};

static long place_try(int dir, const char *name, const struct place_what *what)
{
	switch (what->kind) {
	case TAR_DIRECTORY:
		return sys3(__NR_mkdirat, dir, name, what->mode | OWNER_ALL);
	case TAR_LINK:
		return sys3(__NR_symlinkat, what->target, dir, name);
	case TAR_HARD_LINK:
		return sys5(__NR_linkat, what->target_fd, what->target, dir, name, 0);
	default:
		return sys_openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				  what->mode);
	}
}

/* Whether what has the name already is what is wanted. */
static bool place_is_there(int dir, const char *name, const struct place_what *what)
{
	struct stat there = {0};
	struct stat target = {0};

	if (what->kind != TAR_DIRECTORY && what->kind != TAR_HARD_LINK)
		return false;
	if (sys4(__NR_newfstatat, dir, name, &there, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	if (what->kind == TAR_DIRECTORY)
		return S_ISDIR(there.st_mode);
	return sys4(__NR_newfstatat, what->target_fd, what->target, &target, AT_SYMLINK_NOFOLLOW) >=
		       0 &&
	       there.st_dev == target.st_dev && there.st_ino == target.st_ino;
}

static bool place_takes_empty;

void place_take_empty(void)
{
	place_takes_empty = true;
}

/* Returns what the call has, or -EEXIST if the right thing is there. */
static long place_make(int dir, const char *name, const struct place_what *what)
{
	for (int i = 0; i < TRIES; i++) {
		long done = place_try(dir, name, what);

		if (done != -EEXIST || place_is_there(dir, name, what))
			return done;
		done = sys3(__NR_unlinkat, dir, name, 0);
		if (done == -EISDIR && place_takes_empty)
			done = sys3(__NR_unlinkat, dir, name, AT_REMOVEDIR);
		if (done < 0 && done != -ENOENT)
			return done;
	}
	return -EBUSY;
}

/* Eight bytes at a time; ordinary data ends it at once. */
static bool place_is_zero(const unsigned char *bytes, size_t size)
{
	typedef unsigned long long __attribute__((may_alias, aligned(1))) word;
	size_t i = 0;

	for (; i + sizeof(word) <= size; i += sizeof(word))
		if (*(const word *)(bytes + i))
			return false;
	for (; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

long place_write(int fd, const unsigned char *bytes, size_t size)
{
	while (size) {
		long n = sys_write(fd, bytes, size);

		if (n < 0 && n != -EINTR)
			return n;
		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

/* How many bytes are in one block of the file with the first. */
static size_t place_in_block(long long at, size_t size)
{
	const size_t left = BLOCK - (size_t)(at % BLOCK);

	return size < left ? size : left;
}

/*
 * The length of the run at the beginning, to the end of a block, that is zeros or is not.
 * @at  in the file.
 */
static size_t place_run(const unsigned char *bytes, size_t size, long long at, bool *zeros)
{
	size_t n = place_in_block(at, size);

	*zeros = place_is_zero(bytes, n);
	while (n < size) {
		const size_t more = place_in_block(at + (long long)n, size - n);

		if (place_is_zero(bytes + n, more) != *zeros)
			break;
		n += more;
	}
	return n;
}

/*
 * Returns false if the stream has ended; it has said so. Zeros are passed over, so that a file
 * takes no more room than the one it comes from: a block of which some bytes are others is made by
 * those.
 */
static bool place_data(int fd, long long size, long *error)
{
	const unsigned char *bytes;
	bool at_hole = false;
	long long at = 0;

	while (at < size && *error >= 0) {
		size_t n = input_some(&bytes, size - at);

		if (!n)
			return false;
		for (size_t length; n && *error >= 0; n -= length) {
			length = place_run(bytes, n, at, &at_hole);
			*error = at_hole ? sys3(__NR_lseek, fd, length, SEEK_CUR)
					 : place_write(fd, bytes, length);
			bytes += length;
			at += (long long)length;
		}
	}
	if (at_hole && *error >= 0)
		*error = sys2(__NR_ftruncate, fd, size);
	return true;
}

bool place_file(int dir_fd, const char *name, const struct tar_entry *entry)
{
	struct place_what what = {.kind = TAR_FILE, .mode = entry->mode};
	long fd = place_make(dir_fd, name, &what);
	long error = 0;
	bool whole;

	if (fd < 0) {
		note_failure("make", entry->name, fd);
		return false;
	}
	whole = place_data((int)fd, entry->follows, &error);
	place_time((int)fd, NULL, entry);
	sys_close((int)fd);
	if (error < 0)
		note_failure("write", entry->name, error);
	return whole && error >= 0;
}

long place_link(int dir_fd, const char *name, const struct tar_entry *entry)
{
	struct place_what what = {.kind = TAR_LINK, .target = entry->link};
	long done = place_make(dir_fd, name, &what);

	if (done >= 0)
		place_time(dir_fd, name, entry);
	return done;
}

long place_hard_link(int dir_fd, const char *name, int target_fd, const char *target)
{
	struct place_what what = {.kind = TAR_HARD_LINK, .target = target, .target_fd = target_fd};
	long done = place_make(dir_fd, name, &what);

	return done == -EEXIST ? 0 : done;
}

long place_directory(int dir_fd, const char *name, unsigned mode)
{
	struct place_what what = {.kind = TAR_DIRECTORY, .mode = mode};
	long done = place_make(dir_fd, name, &what);

	return done == -EEXIST ? PLACE_STAYS : done;
}

long place_change_directory(int dir_fd, const char *name, unsigned mode)
{
	long fd = sys_openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	struct stat st = {0};
	long error = fd;

	if (error >= 0)
		error = sys2(__NR_fstat, fd, &st);
	if (error >= 0 && (st.st_mode & TAR_MODE) != (mode | OWNER_ALL))
		error = sys2(__NR_fchmod, fd, mode | OWNER_ALL | (st.st_mode & S_ISVTX));
	if (fd >= 0)
		sys_close((int)fd);
	return error < 0 ? error : 0;
}

bool place_is_mount(int dir_fd, const char *name)
{
	struct statx st = {0};

	return sys5(__NR_statx, dir_fd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE,
		    &st) >= 0 &&
	       (st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

long place_finish_directory(int dir_fd, const char *name, const struct tar_entry *entry)
{
	long error = 0;

	if ((entry->mode & OWNER_ALL) != OWNER_ALL) {
		long fd = sys_openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
				     0);

		error = fd < 0 ? fd : sys2(__NR_fchmod, fd, entry->mode);
		if (fd >= 0)
			sys_close((int)fd);
	}
	place_time(dir_fd, name, entry);
	return error;
}
