/*
 * session_kept - the files of a session on the disk, for a session of the same name of a later day.
 */
#include "monitor/session_kept.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/hex.h"
#include "base/list.h"
#include "base/own.h"
#include "client/client.h"
#include "client/supervisors.h"
#include "fs/names.h"
#include "fs/state_dir.h"
#include "fs/state_file.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "monitor/copying.h"
#include "session/session_spec.h"

#define KEPT_FOLDER "hibernated"
#define NEW         ".new"
#define KEPT_MOST   100000 /* names that a list has */
#define WORKSPACE   "/workspace"
#define MOST_BYTES  (2ull * WORKSPACE_BYTES) /* with headers; a stranger's stream may not end */
#define KEEP_US     60000000                 /* it may take so long to write them */
#define HEX_BYTES   (2 * SESSION_NAME_MAX + sizeof(NEW))

/* A session's name may have any bytes. Returns -1 with *e if it cannot be one. */
static int session_kept_name(const char *name, const char *behind, char out[HEX_BYTES],
			     struct err *e)
{
	const size_t length = strlen(name);

	if (client_check_name(name, e))
		return -1;
	encode_hex(name, length, out);
	snprintf(out + 2 * length, HEX_BYTES - 2 * length, "%s", behind);
	return 0;
}

/* The kernel bounds the file, whatever is sent: without its signal the error is EFBIG. */
static int session_kept_bound(struct err *e)
{
	struct rlimit most;

	signal(SIGXFSZ, SIG_IGN);
	if (getrlimit(RLIMIT_FSIZE, &most))
		return err_sys(e, "bound the file");
	if (most.rlim_cur > MOST_BYTES)
		most.rlim_cur = MOST_BYTES;
	return setrlimit(RLIMIT_FSIZE, &most) ? err_sys(e, "bound the file") : 0;
}

/* The draft, empty; who holds its lock may write it, and put it into its place. */
static int session_kept_lock(int dir, const char *draft, struct err *e)
{
	auto_fd int fd = state_file_open(dir, draft, O_WRONLY | O_CREAT);

	if (fd < 0)
		return err_sys(e, "make a file for them");
	if (flock(fd, LOCK_EX | LOCK_NB) || !fd_is_named(fd, dir, draft))
		return err_set(e, ERR_BUSY, "another command is keeping them");
	if (ftruncate(fd, 0)) /* it may be that of a client that was killed */
		return err_sys(e, "empty the file for them");
	return take_fd(&fd);
}

/* Returns what copying_out() does. */
static int session_kept_fill(const struct record *r, int dir, const char *draft, const char *name,
			     struct err *e)
{
	auto_fd int fd = -1;
	int left_out;

	fd = session_kept_lock(dir, draft, e);
	if (fd < 0)
		return -1;
	left_out = session_kept_bound(e)
			   ? -1
			   : copying_out(r, WORKSPACE "/.", NULL, fd, monotonic_us() + KEEP_US, e);
	if (left_out >= 0 && fsync(fd))
		left_out = err_sys(e, "write them");
	if (left_out >= 0 && (renameat(dir, draft, dir, name) || fsync(dir)))
		left_out = err_sys(e, "put them into their place");
	if (left_out < 0)
		(void)unlinkat(dir, draft, 0);
	return left_out;
}

int session_kept_write(const struct record *r, struct err *e)
{
	auto_fd int dir = state_dir_open(KEPT_FOLDER, true, e);
	char name[HEX_BYTES];
	char draft[HEX_BYTES];
	int left_out;

	if (dir < 0 || session_kept_name(r->name, "", name, e) ||
	    session_kept_name(r->name, NEW, draft, e))
		return -1;
	left_out = session_kept_fill(r, dir, draft, name, e);
	return left_out < 0 ? err_prefix(e, "the files of %.100s cannot be kept", r->name)
			    : left_out;
}

int session_kept_open(const char *name, struct err *e)
{
	auto_fd int dir = state_dir_open(KEPT_FOLDER, false, e);
	char file[HEX_BYTES];
	int fd;

	if (dir < 0 && e->kind != ERR_NONE)
		return -1;
	if (session_kept_name(name, "", file, e))
		return -1;
	fd = dir < 0 ? -1 : state_file_open(dir, file, O_RDONLY);
	return fd < 0 ? err_set(e, ERR_NOT_FOUND, "no session %.100s has hibernated", name) : fd;
}

int session_kept_restore(const char *name, int from, struct err *e)
{
	struct record r = {.dir = -1, .is_session = true};

	snprintf(r.name, sizeof(r.name), "%s", name);
	return copying_in(&r, from, WORKSPACE, e);
}

bool session_kept_has(const char *name)
{
	struct err ignored = {0};
	auto_fd int fd = session_kept_open(name, &ignored);

	return fd >= 0;
}

static bool session_kept_remove(const char *name)
{
	struct err ignored;
	auto_fd int dir = state_dir_open(KEPT_FOLDER, false, &ignored);
	char file[HEX_BYTES];

	return dir >= 0 && !session_kept_name(name, "", file, &ignored) && !unlinkat(dir, file, 0);
}

int session_kept_end(const char *name, struct err *e)
{
	const bool was_kept = session_kept_remove(name);

	return !supervisors_drop(name, e) || (was_kept && e->kind == ERR_NOT_FOUND) ? 0 : -1;
}

/* The name that a file stands for. Returns false if it is none of ours, or a draft. */
static bool session_kept_read_name(const char *file, char out[SESSION_NAME_MAX + 1])
{
	const size_t length = strlen(file) / 2;

	if (length > SESSION_NAME_MAX || strlen(file) % 2)
		return false;
	for (size_t i = 0; i < length; i++) {
		const int high = hex_digit(file[2 * i]);
		const int low = hex_digit(file[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		out[i] = (char)(high << 4 | low);
	}
	out[length] = '\0';
	return strlen(out) == length && length;
}

static uint64_t session_kept_age_ms(const struct stat *st)
{
	const uint64_t then_ms =
		(uint64_t)st->st_mtim.tv_sec * 1000 + (uint64_t)st->st_mtim.tv_nsec / 1000000;
	const uint64_t now_ms = clock_now_ms();

	return now_ms > then_ms ? now_ms - then_ms : 0;
}

int session_kept_each(void (*tell)(void *context, const struct kept_session *s), void *context,
		      struct err *e)
{
	auto_fd int dir = state_dir_open(KEPT_FOLDER, false, e);
	auto_list struct list files = {0};

	if (dir < 0)
		return e->kind == ERR_NONE ? 0 : -1;
	if (names_read(dir, KEPT_MOST, &files) < 0)
		return err_sys(e, "read which sessions have hibernated");
	for (size_t i = 0; i < files.count; i++) {
		struct kept_session s;
		struct stat st;

		if (!session_kept_read_name(files.items[i], s.name) ||
		    fstatat(dir, files.items[i], &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		s.age_ms = session_kept_age_ms(&st);
		s.bytes = (uint64_t)st.st_size;
		tell(context, &s);
	}
	return 0;
}
