/*
 * files_reach - resolve one path, with a time limit: shared by put, get, list and delete.
 */
#include "client/files_reach.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/random.h"

#define PIECE 65536

int files_reach_begin(struct files_reach *r, int root_fd, const char *path,
		      const struct files_rules *rules, struct err *e)
{
	uint64_t now = monotonic_ms();

	r->root_fd = root_fd;
	r->rules = rules;
	r->deadline_ms = rules->max_ms < UINT64_MAX - now ? now + rules->max_ms : UINT64_MAX;
	return files_path_set(&r->path, path, e);
}

int files_reach_named(const struct files_reach *r, struct err *e)
{
	return r->path.text[0] ? 0 : err_input(e, "the path names /workspace itself");
}

int files_reach_names_file(const struct files_reach *r, struct err *e)
{
	if (files_reach_named(r, e))
		return -1;
	if (r->path.directory)
		return err_input(e, "%.300s/: the path of a directory, not of a file",
				 r->path.text);
	return 0;
}

int files_reach_error(const char *path, struct err *e)
{
	static const struct {
		int number;
		enum err_kind kind;
		const char *text;
	} known[] = {
		{ENOENT,    ERR_NOT_FOUND, "no such file or directory"                        },
		{ENOTDIR,   ERR_INPUT,     "a part of the path is not a directory"            },
		{ELOOP,     ERR_INPUT,     "a symbolic link is in the way; none is followed"  },
		{EXDEV,     ERR_INPUT,     "another file system is mounted there"             },
		{EISDIR,    ERR_INPUT,     "it is a directory"                                },
		{ENOTEMPTY, ERR_INPUT,     "the directory is not empty"                       },
		{EACCES,    ERR_DENIED,    "its mode, or a directory's on the way, forbids it"},
		{EPERM,     ERR_DENIED,    "its owner, or its directory's, forbids it"        },
		{EAGAIN,    ERR_DENIED,    "the program in the sandbox has a lease on it"     },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].number == errno)
			return err_set(e, known[i].kind, "%.300s: %s", path, known[i].text);
	}
	return err_sys(e, "%.300s", path);
}

bool files_reach_late(const struct files_reach *r)
{
	return monotonic_ms() >= r->deadline_ms;
}

int files_reach_check(const struct files_reach *r, struct err *e)
{
	if (!files_reach_late(r))
		return 0;
	errno = ETIMEDOUT;
	return err_sys(e, "%.300s: not done in time", r->path.text);
}

/*
 * Whether to repeat a call. On a non-blocking descriptor of the caller, wait here; the parent ends
 * a late child.
 */
static bool files_reach_try_again(int fd, short events)
{
	if (errno == EAGAIN)
		fd_await(fd, events, LOOP_NEVER);
	return errno == EINTR || errno == EAGAIN;
}

int files_reach_write(int to, const char *name, const char *bytes, size_t length, struct err *e)
{
	while (length) {
		ssize_t n = write(to, bytes, length);

		if (n < 0 && files_reach_try_again(to, POLLOUT))
			continue;
		if (n < 0)
			return err_sys(e, "write %.300s", name);
		bytes += n;
		length -= (size_t)n;
	}
	return 0;
}

int files_reach_copy(const struct files_reach *r, int from, const char *from_name, int to,
		     const char *to_name, uint64_t most, uint64_t *done, struct err *e)
{
	char piece[PIECE];

	while (*done < most) {
		uint64_t left = most - *done;
		ssize_t n;

		if (files_reach_check(r, e))
			return -1;
		n = read(from, piece, left < PIECE ? (size_t)left : PIECE);
		if (n < 0 && files_reach_try_again(from, POLLIN))
			continue;
		if (n < 0)
			return err_sys(e, "read %.300s", from_name);
		if (n == 0)
			return 0;
		if (files_reach_write(to, to_name, piece, (size_t)n, e))
			return -1;
		*done += (uint64_t)n;
	}
	return 0;
}

const char *files_reach_type(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "file";
	case S_IFDIR:
		return "directory";
	case S_IFLNK:
		return "symlink";
	case S_IFIFO:
		return "fifo";
	case S_IFSOCK:
		return "socket";
	default:
		return "device";
	}
}

struct files_name files_reach_name(void)
{
	struct files_name name;
	uint64_t number;

	random_bytes(&number, sizeof(number));
	snprintf(name.text, sizeof(name.text), ".glovebox-%016llx", (unsigned long long)number);
	return name;
}
