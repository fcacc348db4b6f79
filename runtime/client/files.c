/*
 * files - put, get, list and delete files below the /workspace of a session: an operation.
 */
#include "client/files.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"
#include "base/own.h"
#include "client/files_child.h"
#include "client/files_path.h"
#include "host/spawn.h"

#define NEVER      LOOP_NEVER
#define STEP_BYTES (1 << 20) /* bytes read per step */

enum { SLOT_CHANNEL, SLOT_PIDFD, SLOTS };

struct files {
	struct loop loop;
	struct pollfd slots[SLOTS];
	struct files_path path;
	pid_t pid;
	int pidfd;       /* owned */
	int channel;     /* owned; -1: the child has sent everything */
	struct buf said; /* received: struct files_answer, then JSON */
	int killed_for;  /* errno of the reason; 0: not killed */
	uint64_t kill_at;
	uint64_t give_up_at; /* when to abandon a child that does not end */
	bool is_over;
};

void files_rules_init(struct files_rules *rules, uid_t uid, gid_t gid)
{
	*rules = (struct files_rules){
		.uid = uid,
		.gid = gid,
		.cell_fd = -1,
		.max_ms = 10000,
		.max_bytes = 64 << 20,
		.max_entries = 10000,
		.max_depth = 64,
		.max_list_bytes = 4 << 20,
	};
}

static void files_arrange(struct files *f)
{
	f->slots[SLOT_CHANNEL] = (struct pollfd){f->channel, POLLIN, 0};
	f->slots[SLOT_PIDFD] = (struct pollfd){f->pidfd, POLLIN, 0};
	loop_arrange(&f->loop, f->slots, SLOTS, clock_earlier(f->kill_at, f->give_up_at));
}

/* The child has finished: it exits by itself, or SIGKILL ends it. */
static void files_expect_end(struct files *f)
{
	f->kill_at = NEVER;
	if (f->give_up_at == NEVER)
		f->give_up_at = monotonic_us() + CHILD_END_MS * 1000ull;
}

static void files_kill(struct files *f, int reason)
{
	if (!f->killed_for)
		f->killed_for = reason;
	syscall(SYS_pidfd_send_signal, f->pidfd, SIGKILL, NULL, 0);
	files_expect_end(f);
}

/*
 * @has_ended: the child has exited: read what is buffered, even if another process inherited the
 * socket.
 */
static void files_receive(struct files *f, bool has_ended)
{
	char bytes[65536];
	ssize_t n = 0;

	for (size_t done = 0; done < STEP_BYTES && f->channel >= 0; done += (size_t)n) {
		n = read(f->channel, bytes, sizeof(bytes));
		if (n < 0 && !has_ended && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			own_close(&f->channel);
			files_expect_end(f);
			return;
		}
		buf_add(&f->said, bytes, (size_t)n);
	}
}

bool files_step(struct files *f)
{
	bool has_ended;
	uint64_t now;

	loop_collect(&f->loop);
	has_ended = f->slots[SLOT_PIDFD].revents;
	if (f->slots[SLOT_CHANNEL].revents || has_ended)
		files_receive(f, has_ended);
	now = monotonic_us();
	if (now >= f->kill_at)
		files_kill(f, ETIMEDOUT);
	f->is_over = (has_ended && f->channel < 0) || now >= f->give_up_at;
	if (!f->is_over)
		files_arrange(f);
	return f->is_over;
}

struct loop *files_loop(struct files *f)
{
	return &f->loop;
}

void files_cancel(struct files *f)
{
	if (f->is_over)
		return;
	files_kill(f, ECANCELED);
	files_arrange(f);
}

/* Block signals: the caller's handlers must not run in the child before it has reset them. */
static pid_t files_fork(const struct files_request *request, int channel)
{
	const pid_t parent = getpid();
	sigset_t all;
	sigset_t old;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0)
		files_child_main(request, channel, parent);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return pid;
}

/* The child waits for our byte: until then its pid cannot be reused. */
static int files_watch(struct files *f, struct err *e)
{
	f->pidfd = (int)syscall(SYS_pidfd_open, f->pid, 0);
	if (f->pidfd >= 0 && send(f->channel, "", 1, MSG_NOSIGNAL) == 1)
		return 0;
	err_sys(e, "start a process");
	kill(f->pid, SIGKILL);
	waitpid(f->pid, NULL, 0); /* it has done nothing that could block it */
	return -1;
}

static int files_begin(struct files *f, const struct files_request *request, struct err *e)
{
	auto_fd int theirs = -1;

	if (files_path_set(&f->path, request->path, e))
		return -1;
	if (message_pair(SOCK_STREAM, &f->channel, &theirs) ||
	    fcntl(f->channel, F_SETFL, O_NONBLOCK))
		return err_sys(e, "make a channel");
	f->pid = files_fork(request, theirs);
	if (f->pid < 0)
		return err_sys(e, "make a process");
	return files_watch(f, e);
}

static void files_free(struct files *f)
{
	loop_close(&f->loop);
	own_close(&f->pidfd);
	own_close(&f->channel);
	buf_fini(&f->said);
	free(f);
}

static uint64_t files_kill_at(const struct files_rules *rules)
{
	const uint64_t now = monotonic_us();

	if (rules->max_ms >= (NEVER - now) / 1000 - FILES_GRACE_MS)
		return NEVER;
	return now + (rules->max_ms + FILES_GRACE_MS) * 1000;
}

int files_start(const struct files_request *request, struct files **out, struct err *e)
{
	struct files *f = own_zeroed(1, sizeof(*f));

	f->loop = loop_none();
	f->pidfd = f->channel = -1;
	f->kill_at = files_kill_at(&request->rules);
	f->give_up_at = NEVER;
	/* "[]" is the least; one byte more than allowed shows that more follows. */
	f->said.cap = sizeof(struct files_answer) + request->rules.max_list_bytes + 3;
	if (files_begin(f, request, e)) {
		files_free(f);
		return -1;
	}
	files_arrange(f);
	*out = f;
	return 0;
}

static int files_no_answer(const struct files *f, struct err *e)
{
	const char *path = *f->path.text ? f->path.text : "/workspace";

	errno = f->killed_for;
	if (errno == ETIMEDOUT)
		return err_sys(e, "%.300s: not done in time", path);
	if (errno)
		return err_sys(e, "%.300s: given up", path);
	return err_set(e, ERR_SYSTEM, "%.300s: the process that works on it was killed", path);
}

/* Our own program wrote it, but hostile processes may have killed it meanwhile. */
static int files_read_answer(struct files *f, struct files_result *out, struct err *e)
{
	struct files_answer a;

	if (f->said.length < sizeof(a))
		return files_no_answer(f, e);
	memcpy(&a, f->said.data, sizeof(a));
	if (a.json_length != f->said.length - sizeof(a) || f->said.truncated)
		return files_no_answer(f, e);
	out->got = a.got;
	out->listed = a.listed;
	if (a.error.kind != ERR_NONE) {
		*e = a.error;
		return -1;
	}
	buf_add(&out->json, f->said.data + sizeof(a), a.json_length);
	return 0;
}

/* Give a stuck child to `endings`; without these, abandon it. */
static void files_end_child(struct files *f, struct endings *endings)
{
	if (!waitpid(f->pid, NULL, WNOHANG) && endings)
		endings_add_process(endings, f->pid, &f->pidfd);
}

int files_end(struct files *f, struct endings *endings, struct files_result *out, struct err *e)
{
	int bad;

	files_cancel(f);
	while (!f->is_over && !endings) {
		loop_wait(&f->loop, -1);
		files_step(f);
	}
	*out = (struct files_result){0};
	bad = files_read_answer(f, out, e);
	files_end_child(f, endings);
	files_free(f);
	return bad;
}
