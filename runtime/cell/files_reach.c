/*
 * files_reach - what put, get, list and delete have in common: one path, the
 * sandbox's ids, and an end in time.
 */
#include "cell/files_reach.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"

#define PIECE    65536
#define POLL_MAX 1000 /* milliseconds; then the clock is looked at again */

void files_reach_end(struct files_reach *r)
{
	act_as_end(&r->ids);
}

static int take_ids(struct files_reach *r, struct err *e)
{
	if (!act_as_begin(&r->ids, r->rules->uid, r->rules->gid))
		return 0;
	return err_set(e, ERR_UNSUPPORTED, "the sandbox's ids %u:%u cannot be taken without root",
		       r->rules->uid, r->rules->gid);
}

int files_reach_begin(struct files_reach *r, int root_fd, const char *path,
		      const struct files_rules *rules, struct err *e)
{
	uint64_t now = monotonic_ms();

	r->root_fd = root_fd;
	r->rules = rules;
	r->ids = (struct act_as){0};
	r->deadline_ms = rules->max_ms < UINT64_MAX - now ? now + rules->max_ms : UINT64_MAX;
	return files_path_set(&r->path, path, e) || take_ids(r, e) ? -1 : 0;
}

void files_rules_init(struct files_rules *rules, uid_t uid, gid_t gid)
{
	*rules = (struct files_rules){
		.uid = uid,
		.gid = gid,
		.max_ms = 10000,
		.max_bytes = 64 << 20,
		.max_entries = 10000,
		.max_depth = 64,
		.max_list_bytes = 4 << 20,
	};
}

int files_reach_named(const struct files_reach *r, struct err *e)
{
	return r->path.text[0] ? 0 : err_input(e, "the path names /workspace itself");
}

int files_reach_error(const char *path, struct err *e)
{
	static const struct {
		int number;
		enum err_kind kind;
		const char *text;
	} known[] = {
		{ENOENT,    ERR_NOT_FOUND, "no such file or directory"                        },
		{ENOTDIR,   ERR_INPUT,     "a part of the path is no directory"               },
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

/* Until reading or writing can go on, or has failed, which the call itself will tell. */
static int wait_ready(const struct files_reach *r, int fd, short events, struct err *e)
{
	struct pollfd p = {.fd = fd, .events = events};

	for (;;) {
		uint64_t now = monotonic_ms();
		uint64_t left = r->deadline_ms > now ? r->deadline_ms - now : 0;

		if (!left)
			return files_reach_check(r, e);
		if (poll(&p, 1, left < POLL_MAX ? (int)left : POLL_MAX) > 0)
			return 0;
	}
}

static bool try_again(void)
{
	return errno == EINTR || errno == EAGAIN;
}

static int write_piece(const struct files_reach *r, int to, const char *name, const char *bytes,
		       size_t length, size_t at_once, struct err *e)
{
	while (length) {
		ssize_t n;

		if (wait_ready(r, to, POLLOUT, e))
			return -1;
		n = write(to, bytes, length < at_once ? length : at_once);
		if (n < 0 && try_again())
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
	struct stat st;
	/* What a pipe takes whole when poll() says that it takes something. */
	size_t at_once = fstat(to, &st) || !S_ISREG(st.st_mode) ? PIPE_BUF : PIECE;

	while (*done < most) {
		uint64_t left = most - *done;
		ssize_t n;

		if (wait_ready(r, from, POLLIN, e))
			return -1;
		n = read(from, piece, left < PIECE ? (size_t)left : PIECE);
		if (n < 0 && try_again())
			continue;
		if (n < 0)
			return err_sys(e, "read %.300s", from_name);
		if (n == 0)
			return 0;
		if (write_piece(r, to, to_name, piece, (size_t)n, at_once, e))
			return -1;
		*done += (uint64_t)n;
	}
	return 0;
}

bool files_reach_is_mount(int dir_fd, const char *name)
{
	struct statx st;

	return !statx(dir_fd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, 0, &st) &&
	       (st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
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

struct files_self files_reach_self(int fd)
{
	struct files_self self;

	snprintf(self.path, sizeof(self.path), "/proc/self/fd/%d", fd);
	return self;
}

struct files_name files_reach_name(void)
{
	struct files_name name;
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		abort();
	snprintf(name.text, sizeof(name.text), ".glovebox-%016llx", (unsigned long long)number);
	return name;
}

DIR *files_reach_entries(int dir_fd)
{
	auto_fd int fd = resolve_open(dir_fd, ".", O_RDONLY | O_DIRECTORY, FILES_BENEATH);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (dir)
		take_fd(&fd);
	return dir;
}
