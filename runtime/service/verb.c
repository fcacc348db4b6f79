/*
 * verb - one command of glovebox as a child process.
 */
#include "service/verb.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"
#include "service/verb_child.h"

#define TELL_MAX  1024
#define READY     "ready\n"
#define READ_SIZE 65536
#define READS     4 /* of a stream in one turn */

struct verb_stream {
	struct hub_watch watch; /* not watched while it is held: its end would ring for ever */
	int fd;                 /* owned; -1: ended */
	struct verb *of;
	int number;
};

struct verb {
	struct hub *hub;
	struct verb_result *result;
	void (*done)(void *context);
	void (*take)(void *context, int stream, const char *bytes, size_t length);
	void (*fed)(void *context);
	void (*ready)(void *context);
	void *context;
	struct verb_stream streams[VERB_STREAMS];
	struct hub_watch feed; /* a pipe's end, or the master of a terminal; owned */
	struct hub_watch life; /* a pidfd; owned */
	struct hub_timer rest; /* calls `done`, outside of any other call */
	struct buf told;
	pid_t pid; /* 0: reaped */
	bool held;
	bool is_ready; /* or nothing waits for it to be */
};

/* -- starting -------------------------------------------------------------------------------- */

static void verb_on_stream(void *context, uint32_t events);
static void verb_on_feed(void *context, uint32_t events);
static void verb_on_life(void *context, uint32_t events);
static void verb_on_rest(void *context);

static int verb_watch(struct verb *v, struct err *e)
{
	int pidfd = (int)syscall(SYS_pidfd_open, v->pid, 0);

	if (pidfd < 0)
		return err_sys(e, "watch a command");
	for (int i = 0; i < VERB_STREAMS; i++) {
		struct verb_stream *s = &v->streams[i];

		if (hub_watch(v->hub, &s->watch, s->fd, EPOLLIN, e))
			return close(pidfd), -1;
	}
	return hub_watch(v->hub, &v->life, pidfd, EPOLLIN, e) ? (close(pidfd), -1) : 0;
}

int verb_start(struct hub *hub, const struct verb_request *request, struct verb_result *result,
	       void (*done)(void *context), void *context, struct verb **out, struct err *e)
{
	struct verb *v = own_zeroed(1, sizeof(*v));
	struct verb_child child;

	*v = (struct verb){
		.hub = hub,
		.result = result,
		.done = done,
		.take = request->take,
		.fed = request->fed,
		.ready = request->ready,
		.context = context,
		.is_ready = !request->ready,
		.feed = {.ready = verb_on_feed, .context = v, .fd = -1},
		.life = {.ready = verb_on_life,                     .context = v,             .fd = -1},
		.rest = {.ring = verb_on_rest,             .context = v            }
        };
	*result = (struct verb_result){0};
	for (int i = 0; i < VERB_STREAMS; i++)
		v->streams[i] = (struct verb_stream){
			.watch = {.ready = verb_on_stream, .context = &v->streams[i], .fd = -1},
			.fd = -1,
			.of = v,
			.number = i
                };
	if (verb_child_start(&request->command, &child, e))
		return free(v), -1;
	v->pid = child.pid;
	v->feed.fd = child.feed;
	for (int i = 0; i < VERB_STREAMS; i++)
		v->streams[i].fd = child.streams[i];
	if (verb_watch(v, e))
		return verb_free(v), -1;
	*out = v;
	return 0;
}

/* -- its streams ----------------------------------------------------------------------------- */

static void verb_close_watch(struct verb *v, struct hub_watch *w)
{
	int fd = w->fd;

	hub_unwatch(v->hub, w);
	own_close(&fd);
}

static void verb_close_stream(struct verb_stream *s)
{
	hub_unwatch(s->of->hub, &s->watch);
	own_close(&s->fd);
}

/* The first line says that it is ready, and no other: an error may end with that word. */
static bool verb_said_ready(struct verb *v)
{
	return !strncmp(buf_string(&v->told), READY, strlen(READY));
}

static void verb_check_ready(struct verb *v)
{
	if (v->is_ready || !verb_said_ready(v))
		return;
	v->is_ready = true;
	v->ready(v->context);
}

static void verb_give(struct verb *v, int stream, const char *bytes, size_t length)
{
	struct buf *kept = stream == VERB_TOLD ? &v->told : &v->result->output[stream];
	const size_t most = stream == VERB_TOLD ? TELL_MAX : VERB_OUTPUT_MAX;

	if (stream != VERB_TOLD && v->take) {
		v->take(v->context, stream + 1, bytes, length);
		return;
	}
	if (kept->length < most)
		buf_add(kept, bytes, length < most - kept->length ? length : most - kept->length);
	if (stream == VERB_TOLD)
		verb_check_ready(v);
}

static void verb_check_end(struct verb *v)
{
	if (!v->pid && v->streams[VERB_OUT].fd < 0 && v->streams[VERB_ERRORS].fd < 0 &&
	    v->streams[VERB_TOLD].fd < 0)
		hub_ring(v->hub, &v->rest, 0);
}

static void verb_read(struct verb_stream *s)
{
	struct verb *v = s->of;
	char bytes[READ_SIZE];

	for (int i = 0; i < READS && !(v->held && s->number != VERB_TOLD); i++) {
		ssize_t n = read(s->fd, bytes, sizeof(bytes));

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			verb_close_stream(s);
			verb_check_end(v);
			return;
		}
		verb_give(v, s->number, bytes, (size_t)n);
		if (n < (ssize_t)sizeof(bytes) / 2)
			return;
	}
}

/* A command tells that it is ready before it prints: in this order it is read. */
static void verb_on_stream(void *context, uint32_t events)
{
	struct verb_stream *s = context;
	struct verb_stream *told = &s->of->streams[VERB_TOLD];

	(void)events;
	if (s != told && told->fd >= 0)
		verb_read(told);
	verb_read(s);
}

void verb_resize(struct verb *v, uint16_t rows, uint16_t columns)
{
	const struct winsize size = {.ws_row = rows, .ws_col = columns};

	if (v->feed.fd >= 0 && !ioctl(v->feed.fd, TIOCSWINSZ, &size) && v->pid)
		kill(v->pid, SIGWINCH);
}

void verb_hold(struct verb *v, bool held)
{
	struct err ignored;

	if (v->held == held)
		return;
	v->held = held;
	for (int i = 0; i < VERB_TOLD; i++) {
		struct verb_stream *s = &v->streams[i];

		if (held)
			hub_unwatch(v->hub, &s->watch);
		else if (s->fd >= 0 && hub_watch(v->hub, &s->watch, s->fd, EPOLLIN, &ignored))
			verb_close_stream(s); /* its command sees that nobody reads */
	}
	verb_check_end(v);
}

static void verb_on_feed(void *context, uint32_t events)
{
	struct verb *v = context;

	if (events & (EPOLLERR | EPOLLHUP))
		verb_close_watch(v, &v->feed); /* it reads no more */
	else
		(void)hub_rewatch(v->hub, &v->feed, 0);
	if (v->fed)
		v->fed(v->context);
}

size_t verb_feed(struct verb *v, const char *bytes, size_t length)
{
	struct err ignored;
	ssize_t n;
	const int fd = v->feed.fd;

	if (fd < 0)
		return length; /* nobody reads it */
	n = write(fd, bytes, length);
	if (n > 0)
		return (size_t)n;
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		verb_feed_end(v);
		return length;
	}
	hub_unwatch(v->hub, &v->feed);
	if (hub_watch(v->hub, &v->feed, fd, EPOLLOUT, &ignored)) {
		v->feed.fd = fd;
		verb_feed_end(v);
		return length;
	}
	return 0;
}

void verb_feed_end(struct verb *v)
{
	verb_close_watch(v, &v->feed);
}

/* -- its end --------------------------------------------------------------------------------- */

static void verb_on_life(void *context, uint32_t events)
{
	struct verb *v = context;

	(void)events;
	verb_close_watch(v, &v->life);
	v->result->status = process_exit_code(process_reap(v->pid, 0));
	v->pid = 0;
	verb_check_end(v);
}

/* "KIND TEXT": base/told.h. */
static void verb_read_told(struct verb *v)
{
	const char *told = buf_string(&v->told) + (verb_said_ready(v) ? strlen(READY) : 0);
	auto_free char *text = own_strndup(told, strcspn(told, "\n"));
	char *space = strchr(text, ' ');

	if (space) {
		*space = '\0';
		err_fill(&v->result->error, err_kind_of(text), "%s", space + 1);
	}
}

static void verb_on_rest(void *context)
{
	struct verb *v = context;

	verb_read_told(v);
	v->done(v->context);
}

void verb_free(struct verb *v)
{
	if (!v)
		return;
	for (int i = 0; i < VERB_STREAMS; i++)
		verb_close_stream(&v->streams[i]);
	verb_close_watch(v, &v->feed);
	hub_silence(v->hub, &v->rest);
	if (v->pid) {
		kill(v->pid, SIGKILL);
		if (v->life.fd >= 0) {
			int pidfd = v->life.fd;

			hub_unwatch(v->hub, &v->life);
			endings_add_process(hub_endings(v->hub), v->pid, &pidfd);
		} else {
			(void)process_reap(v->pid, 0);
		}
	}
	verb_close_watch(v, &v->life);
	buf_fini(&v->told);
	free(v);
}

void verb_result_fini(struct verb_result *r)
{
	buf_fini(&r->output[0]);
	buf_fini(&r->output[1]);
	*r = (struct verb_result){0};
}
