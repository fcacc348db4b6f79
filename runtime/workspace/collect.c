/*
 * collect - what a program has left in its /workspace, copied out by a child.
 *
 * The child says for each file "SIZE PATH" and a NUL, for what was refused "- PATH", and at last an
 * empty line. Without that it did not get to its end.
 */
#include "workspace/collect.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/io.h"
#include "base/keep_fds.h"
#include "base/own.h"
#include "fs/names.h"
#include "loop/clock.h"
#include "namespace/mapped_ids.h"
#include "spec/verdict.h"

#define COLLECT_MS   30000
#define REPORT_MAX   (COLLECT_ENTRIES_MAX * 4096u)
#define REFUSED_MARK "- "

enum { SLOT_PIPE, SLOT_PIDFD, SLOTS };

struct collect {
	struct loop loop;
	struct pollfd slots[SLOTS];
	pid_t pid;
	int pidfd; /* owned */
	int pipe;  /* owned; -1: the child has written everything */
	struct buf said;
	uint64_t kill_at;
	bool is_late;
};

bool collect_has_files(int fd, const char *except)
{
	auto_list struct list names = {0};
	struct statfs fs;

	if (fd < 0 || fstatfs(fd, &fs) || fs.f_type != TMPFS_MAGIC)
		return false;
	/* With two names, at least one is not `except`. */
	if (names_read(fd, 2, &names) < 0)
		return errno == EACCES; /* the program closed it to other users, us included */
	return names.count > 1 || (names.count && strcmp(names.items[0], except) != 0);
}

/* -- the child ------------------------------------------------------------------------------- */

struct collect_job {
	int stage;
	int users;
	int target;
	const char *except;
	const struct staged_file *staged;
	size_t staged_count;
	const struct stage_limits *limits;
};

static bool collect_is_equal(int one, int other, uint64_t size)
{
	char chunks[2][32768];
	uint64_t at = 0;

	while (at < size) {
		ssize_t n = pread(one, chunks[0], sizeof(chunks[0]), (off_t)at);

		if (n > 0 && (uint64_t)n > size - at)
			n = (ssize_t)(size - at);
		if (n <= 0 || pread(other, chunks[1], (size_t)n, (off_t)at) != n ||
		    memcmp(chunks[0], chunks[1], (size_t)n) != 0)
			return false;
		at += (uint64_t)n;
	}
	return true;
}

/* Compare the copy: no process changes it any more. */
static bool collect_is_as_staged(const struct collect_job *j, const struct output_file *file)
{
	for (size_t i = 0; i < j->staged_count; i++) {
		const struct staged_file *staged = &j->staged[i];
		auto_fd int fd = -1;

		if (strcmp(staged->path, file->path) != 0 || staged->size_bytes != file->size_bytes)
			continue;
		fd = openat(j->target, file->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		return fd >= 0 && collect_is_equal(fd, staged->fd, staged->size_bytes);
	}
	return false;
}

static void collect_report(const struct collect_job *j, const struct verdict *v, struct buf *out)
{
	for (size_t i = 0; i < v->files.count; i++) {
		const struct output_file *file = &v->files.items[i];

		if (!strcmp(file->path, j->except) || collect_is_as_staged(j, file))
			continue;
		buf_printf(out, "%" PRIu64 " %s", file->size_bytes, file->path);
		buf_add(out, "", 1);
	}
	for (size_t i = 0; i < v->refused.count; i++) {
		buf_printf(out, REFUSED_MARK "%s", v->refused.items[i].path);
		buf_add(out, "", 1);
	}
	buf_add(out, "", 1);
}

/* Close all that the child does not need. */
static int collect_keep_fds(const struct collect_job *j, int pipe)
{
	auto_free int *kept = own_zeroed(j->staged_count + 3, sizeof(*kept));
	size_t count = 0;

	for (size_t i = 0; i < j->staged_count; i++)
		kept[count++] = j->staged[i].fd;
	kept[count++] = j->stage;
	kept[count++] = j->target;
	kept[count++] = pipe;
	return keep_fds(STDERR_FILENO + 1, kept, count);
}

_Noreturn static void collect_child(const struct collect_job *j, int pipe, pid_t parent)
{
	struct verdict v = {0};
	struct buf report = {0};
	struct err e;

	if (j->users >= 0 && mapped_ids_enter(j->users, &e))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || collect_keep_fds(j, pipe) || stage_check(j->stage, &e) ||
	    stage_collect(j->stage, j->target, j->limits, &v, &e))
		_exit(1);
	/* A caller that wants the bytes on disk waits here, in the child, not in the parent. */
	(void)syncfs(j->target);
	collect_report(j, &v, &report);
	_exit(io_write_all(pipe, report.data, report.length) ? 1 : 0);
}

/* -- the operation --------------------------------------------------------------------------- */

static void collect_arrange(struct collect *c)
{
	c->slots[SLOT_PIPE] = (struct pollfd){c->pipe, POLLIN, 0};
	c->slots[SLOT_PIDFD] = (struct pollfd){c->pidfd, POLLIN, 0};
	loop_arrange(&c->loop, c->slots, SLOTS, c->kill_at);
}

static void collect_receive(struct collect *c)
{
	char bytes[65536];
	ssize_t n;

	while ((n = read(c->pipe, bytes, sizeof(bytes))) > 0)
		buf_add(&c->said, bytes, (size_t)n);
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		own_close(&c->pipe);
}

bool collect_step(struct collect *c)
{
	bool has_ended;

	loop_collect(&c->loop);
	has_ended = c->slots[SLOT_PIDFD].revents;
	if (c->slots[SLOT_PIPE].revents)
		collect_receive(c);
	if (monotonic_us() >= c->kill_at) {
		c->is_late = true;
		c->kill_at = LOOP_NEVER;
		syscall(SYS_pidfd_send_signal, c->pidfd, SIGKILL, NULL, 0);
	}
	collect_arrange(c);
	return c->pipe < 0 && has_ended;
}

struct loop *collect_loop(struct collect *c)
{
	return &c->loop;
}

int collect_start(int stage_fd, int users_fd, int target_fd, const char *except,
		  const struct staged_file *staged, size_t staged_count,
		  const struct stage_limits *limits, struct collect **out, struct err *e)
{
	const struct collect_job job = {stage_fd, users_fd,     target_fd, except,
					staged,   staged_count, limits};
	struct collect *c = own_zeroed(1, sizeof(*c));
	const pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC)) {
		free(c);
		return err_sys(e, "make a pipe");
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	c->pid = fork();
	if (c->pid == 0)
		collect_child(&job, ends[1], parent);
	close(ends[1]);
	c->loop = loop_none();
	c->pipe = ends[0];
	c->said.cap = REPORT_MAX;
	c->kill_at = monotonic_us() + COLLECT_MS * 1000ull;
	c->pidfd = c->pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (c->pidfd < 0) {
		struct collected none;

		err_sys(e, "make a process");
		(void)collect_end(c, NULL, &none, &(struct err){0});
		return -1;
	}
	collect_arrange(c);
	*out = c;
	return 0;
}

static void collect_read_line(const char *line, struct collected *out)
{
	struct collected_file file = {0};
	char *path;

	if (!strncmp(line, REFUSED_MARK, strlen(REFUSED_MARK)) ||
	    out->count == COLLECT_ENTRIES_MAX) {
		out->refused++;
		return;
	}
	file.size_bytes = strtoull(line, &path, 10);
	if (*path != ' ')
		return;
	file.path = own_strdup(path + 1);
	out->files = own_grow(out->files, out->count, sizeof(*out->files));
	out->files[out->count++] = file;
}

static int collect_read(const struct collect *c, struct collected *out, struct err *e)
{
	const char *at = c->said.data;
	const char *end = at + c->said.length;

	if (c->is_late)
		return err_set(e, ERR_LIMIT, "its files took longer than %d s to copy",
			       COLLECT_MS / 1000);
	while (at < end && *at) {
		collect_read_line(at, out);
		at += strlen(at) + 1;
	}
	return at < end ? 0 : err_set(e, ERR_SYSTEM, "its files could not be copied");
}

static void collect_end_child(struct collect *c, struct endings *endings)
{
	kill(c->pid, SIGKILL); /* not reaped yet: its pid is still its own */
	if (!waitpid(c->pid, NULL, endings ? WNOHANG : 0))
		endings_add_process(endings, c->pid, &c->pidfd);
}

int collect_end(struct collect *c, struct endings *endings, struct collected *out, struct err *e)
{
	int bad;

	if (c->pid > 0)
		collect_end_child(c, endings);
	*out = (struct collected){0};
	bad = collect_read(c, out, e);
	loop_close(&c->loop);
	own_close(&c->pidfd);
	own_close(&c->pipe);
	buf_fini(&c->said);
	free(c);
	return bad;
}

void collected_fini(struct collected *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->files[i].path);
	free(c->files);
	*c = (struct collected){0};
}
