/*
 * background - keep what a further program prints, in a log of its own.
 */
#include "monitor/background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "loop/fd.h"
#include "sandbox/door.h"

/* -- a pty's input --------------------------------------------------------------------------- */

/* Whatever the pty does not take yet stays in the pipe, and stalls who types. */
static void background_feed(struct background *b)
{
	struct pollfd slots[2];
	bool waits;

	stream_poll(&b->in, slots);
	fd_look(slots, 2);
	stream_pump(&b->in, slots);
	waits = stream_has_pending(&b->in);
	(void)hub_rewatch(b->hub, &b->typed, waits ? 0 : EPOLLIN);
	(void)hub_rewatch(b->hub, &b->out[0].watch, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static void background_on_typed(void *context, uint32_t events)
{
	(void)events;
	background_feed(context);
}

static void background_end_typing(struct background *b)
{
	hub_unwatch(b->hub, &b->typed);
	stream_fini(&b->in);
	own_close(&b->typing[INPUT_OURS]);
	own_close(&b->typing[INPUT_OF_CLIENTS]);
}

int background_input(const struct background *b)
{
	return b->typing[INPUT_OF_CLIENTS] >= 0 ? b->typing[INPUT_OF_CLIENTS] : b->child.input;
}

/* -- output ---------------------------------------------------------------------------------- */

static void background_end_stream(struct background_stream *s)
{
	int *fd = &s->of->child.output[s->number - 1];

	if (s->number == 1)
		background_end_typing(s->of);
	hub_unwatch(s->of->hub, &s->watch);
	own_close(fd);
	if (s->of->child.output[0] < 0 && s->of->child.output[1] < 0) {
		log_end(&s->of->log);
		own_close(&s->of->dir);
	}
}

/* Returns the bytes that came; 0: none are there now, or the stream has ended. */
static size_t background_take(struct background_stream *s)
{
	char bytes[STREAM_BYTES];
	const ssize_t n = read(s->of->child.output[s->number - 1], bytes, sizeof(bytes));

	if (n > 0)
		log_add(&s->of->log, s->number, bytes, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR)) /* EIO: a pty that nobody has */
		background_end_stream(s);
	return n > 0 ? (size_t)n : 0;
}

static void background_ready(void *context, uint32_t events)
{
	struct background_stream *s = context;

	if (events & EPOLLOUT)
		background_feed(s->of);
	if (events & ~(uint32_t)EPOLLOUT)
		(void)background_take(s);
}

/* -- its life -------------------------------------------------------------------------------- */

int background_open(struct background *b, struct hub *hub, int programs,
		    const struct monitor_request *r, struct err *e)
{
	*b = (struct background){
		.child = child_none(),
		.hub = hub,
		.typing = {-1,            -1      },
		.typed = { .ready = background_on_typed, .context = b, .fd = -1},
		.log.fd = -1,
		.dir = -1
        };
	stream_init(&b->in, -1, -1);
	for (int i = 0; i < 2; i++)
		b->out[i] = (struct background_stream){
			.watch = {.ready = background_ready, .context = &b->out[i], .fd = -1},
			.of = b,
			.number = i + 1
                };
	if (!mkdirat(programs, PROGRAMS_NEW, 0700))
		b->dir = openat(programs, PROGRAMS_NEW,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (b->dir < 0)
		return err_sys(e, "make the directory of the program's log");
	if (r->tty && r->interactive && input_pipe(b->typing, e))
		return -1;
	return log_begin(&b->log, b->dir, r->log_bytes, e);
}

static int background_watch(struct background *b, struct err *e)
{
	for (int i = 0; i < 2; i++) {
		if (b->child.output[i] >= 0 && b->out[i].watch.fd < 0 &&
		    hub_watch(b->hub, &b->out[i].watch, b->child.output[i], EPOLLIN, e))
			return -1;
	}
	return 0;
}

int background_begin(struct background *b, int programs, uint32_t number, struct err *e)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", number);
	if (renameat(programs, PROGRAMS_NEW, programs, name))
		return err_sys(e, "name the log of program %u", number);
	return background_watch(b, e);
}

/* @fd: the master of its pty; owned. */
static int background_take_pty(struct background *b, int fd, struct err *e)
{
	const int typing = b->typing[INPUT_OURS];

	b->child.output[0] = fd;
	if (fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK))
		return err_sys(e, "make a pty non-blocking");
	if (background_watch(b, e))
		return -1;
	if (typing >= 0)
		stream_init(&b->in, typing, fd);
	return typing >= 0 ? hub_watch(b->hub, &b->typed, typing, EPOLLIN, e) : 0;
}

int background_hear(struct background *b, bool closed, struct err *e)
{
	struct report r;
	int fd;

	while (child_receive(b->child.reports, &r, &fd)) {
		if (r.kind == REPORT_ERROR) {
			own_close(&fd);
			*e = r.error;
			door_explain(e);
			return -1;
		}
		if (r.kind == REPORT_FD_PTY && fd >= 0 && b->child.output[0] < 0 &&
		    background_take_pty(b, take_fd(&fd), e))
			return -1;
		own_close(&fd);
	}
	return closed;
}

/* Another process may hold the streams and print on: only what they hold already is waited for. */
void background_end(struct background *b)
{
	own_close(&b->child.input);
	background_end_typing(b);
	for (int i = 0; i < 2; i++) {
		for (size_t came = 0, n = 1; n && came < STREAM_HELD; came += n)
			n = b->child.output[i] < 0 ? 0 : background_take(&b->out[i]);
	}
}

void background_close(struct background *b)
{
	if (!b->hub)
		return;
	for (int i = 0; i < 2; i++)
		hub_unwatch(b->hub, &b->out[i].watch);
	background_end_typing(b);
	log_end(&b->log);
	own_close(&b->dir);
	child_end(&b->child);
	b->hub = NULL;
}
