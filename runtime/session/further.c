/*
 * further - one further program in a session as an operation on a hub.
 */
#include "session/further.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

#include "base/own.h"
#include "client/session_door.h"
#include "inside/door.h"
#include "loop/clock.h"
#include "sandbox/spawn.h"
#include "sandbox/stream.h"

#define READ_SIZE 65536
#define READS     4       /* of a stream in one turn */
#define KILL_US   5000000 /* from a kill to the end */

struct further_stream {
	struct hub_watch watch; /* not watched while it is held */
	int fd;                 /* owned; -1: ended */
	struct further *of;
	int number;   /* 1, 2 */
	size_t since; /* bytes that came after the end of the program */
};

struct further {
	struct hub *hub;
	struct further_request request;
	struct further_result *result;
	void (*done)(void *context);
	void *context;
	struct hub_operation operation; /* the question for the door */
	struct ask *ask;                /* owned; NULL: answered */
	struct session_door door;
	struct child child; /* what belongs to the program; its streams are taken over */
	struct further_stream streams[2];
	struct hub_watch feed; /* owned; a pipe's end, or the master of a terminal; fd -1: none */
	int input;             /* owned; the same, while nothing waits for it */
	struct hub_watch reports;
	struct hub_watch ends;
	struct hub_timer deadline;
	struct hub_timer rest; /* calls `done`, outside of any other call */
	bool held;
	bool has_started;
	bool has_ended;
	bool is_killed; /* and has had its time to end */
};

static void further_on_stream(void *context, uint32_t events);

/* -- its end --------------------------------------------------------------------------------- */

static bool further_is_over(const struct further *p)
{
	return p->has_ended && p->reports.fd < 0 && p->streams[0].fd < 0 && p->streams[1].fd < 0;
}

static void further_check_end(struct further *p)
{
	if (further_is_over(p))
		hub_ring(p->hub, &p->rest, 0);
}

/* Its streams may not ring again: read what is left in them. */
static void further_on_rest(void *context)
{
	struct further *p = context;

	for (int i = 0; i < 2; i++) {
		if (p->streams[i].fd >= 0)
			further_on_stream(&p->streams[i], 0);
	}
	if (!further_is_over(p))
		return;
	hub_silence(p->hub, &p->deadline);
	p->done(p->context);
}

/* -- its streams ----------------------------------------------------------------------------- */

static void further_close_watch(struct further *p, struct hub_watch *w)
{
	int fd = w->fd;

	hub_unwatch(p->hub, w);
	own_close(&fd);
}

static void further_close_stream(struct further_stream *s)
{
	hub_unwatch(s->of->hub, &s->watch);
	own_close(&s->fd);
}

/* Returns whether there may be more now. */
static bool further_read(struct further_stream *s)
{
	struct further *p = s->of;
	char bytes[READ_SIZE];
	const ssize_t n = read(s->fd, bytes, sizeof(bytes));

	if (n < 0 && errno == EINTR)
		return true;
	if (n < 0 && errno == EAGAIN && !p->has_ended)
		return false;
	if (n <= 0 || s->since > STREAM_HELD) { /* a terminal without a program is EIO */
		further_close_stream(s);
		return false;
	}
	s->since += p->has_ended ? (size_t)n : 0;
	p->request.take(p->context, s->number, bytes, (size_t)n);
	return true;
}

static void further_on_stream(void *context, uint32_t events)
{
	struct further_stream *s = context;

	(void)events;
	/* That it has been executed comes first; after its end all is read, which is bounded. */
	for (int i = 0; (i < READS || s->of->has_ended) && s->of->reports.fd < 0 && !s->of->held &&
			further_read(s);
	     i++)
		;
	further_check_end(s->of);
}

static void further_open_stream(struct further *p, int i, int fd)
{
	struct further_stream *s = &p->streams[i];
	struct err ignored;

	s->fd = fd;
	if (!p->held && fd >= 0 && hub_watch(p->hub, &s->watch, fd, EPOLLIN, &ignored))
		further_close_stream(s); /* the program sees that nobody reads */
}

void further_hold(struct further *p, bool held)
{
	if (p->held == held)
		return;
	p->held = held;
	for (int i = 0; i < 2; i++) {
		struct further_stream *s = &p->streams[i];

		if (held)
			hub_unwatch(p->hub, &s->watch);
		else if (s->fd >= 0)
			further_open_stream(p, i, s->fd);
	}
	if (p->has_ended && !held)
		hub_ring(p->hub, &p->rest, 0);
}

/* -- its input ------------------------------------------------------------------------------- */

void further_feed_end(struct further *p)
{
	further_close_watch(p, &p->feed);
	own_close(&p->input);
}

static void further_on_feed(void *context, uint32_t events)
{
	struct further *p = context;

	p->input = p->feed.fd;
	hub_unwatch(p->hub, &p->feed);
	if (events & (EPOLLERR | EPOLLHUP))
		own_close(&p->input); /* it reads no more */
	p->request.fed(p->context);
}

size_t further_feed(struct further *p, const char *bytes, size_t length)
{
	struct err ignored;
	ssize_t n;

	if (p->feed.fd >= 0)
		return 0;
	if (p->input < 0)
		return p->has_started ? length : 0; /* nobody reads it */
	n = write(p->input, bytes, length);
	if (n >= 0)
		return (size_t)n;
	if ((errno == EAGAIN || errno == EINTR) &&
	    !hub_watch(p->hub, &p->feed, p->input, EPOLLOUT, &ignored)) {
		p->input = -1;
		return 0;
	}
	own_close(&p->input);
	return length;
}

void further_resize(struct further *p, uint16_t rows, uint16_t columns)
{
	const struct winsize size = {.ws_row = rows, .ws_col = columns};
	p->request.rows = rows;
	p->request.columns = columns;
	if (p->request.tty && p->streams[0].fd >= 0)
		(void)ioctl(p->streams[0].fd, TIOCSWINSZ, &size);
}

/* -- what its door reports ------------------------------------------------------------------- */

/* The master of its terminal is both its output and its input. */
static void further_take_terminal(struct further *p, int fd)
{
	if (!p->request.tty || p->streams[0].fd >= 0) {
		own_close(&fd);
		return;
	}
	own_close(&p->input);
	p->input = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	(void)fcntl(fd, F_SETFL, O_NONBLOCK);
	further_open_stream(p, 0, fd);
	further_resize(p, p->request.rows, p->request.columns);
}

static void further_has_been_executed(struct further *p)
{
	further_close_watch(p, &p->reports);
	p->child.reports = -1;
	p->has_started = true;
	if (!p->result->failed)
		p->request.started(p->context);
	p->request.fed(p->context);
}

static void further_hear(struct further *p)
{
	struct report r;
	int fd = -1;

	while (child_receive(p->reports.fd, &r, &fd)) {
		if (r.kind == REPORT_ERROR) {
			door_explain(&r.error);
			p->result->failed = true;
			p->result->error = r.error;
		}
		if (r.kind == REPORT_FD_PTY)
			further_take_terminal(p, take_fd(&fd));
		own_close(&fd);
	}
}

static void further_on_reports(void *context, uint32_t events)
{
	struct further *p = context;

	further_hear(p);
	if (events & (EPOLLHUP | EPOLLERR))
		further_has_been_executed(p);
	if (p->has_ended)
		hub_ring(p->hub, &p->rest, 0);
}

static void further_on_end(void *context, uint32_t events)
{
	struct further *p = context;
	struct report r;
	int fd = -1;

	(void)events;
	if (p->reports.fd >= 0) /* why it could not be started */
		further_hear(p);
	if (child_receive(p->ends.fd, &r, &fd))
		p->result->status = r.value;
	else if (!p->result->failed)
		p->result->no_session = p->result->failed =
			err_set(&p->result->error, ERR_GONE, "the sandbox has ended");
	own_close(&fd);
	further_close_watch(p, &p->ends);
	p->child.ends = -1;
	p->has_ended = true;
	further_feed_end(p);
	for (int i = 0; i < 2; i++)
		further_on_stream(&p->streams[i], 0);
}

/* -- its beginning --------------------------------------------------------------------------- */

/* The door's lists end with a NULL. @first  NULL: none. @items  owned by the caller. */
static struct string_list further_list(const char *first, const struct list *l, char ***items)
{
	size_t count = 0;

	*items = own_zeroed(l->count + 2, sizeof(**items));
	if (first)
		(*items)[count++] = (char *)first;
	if (l->count)
		memcpy(*items + count, l->items, l->count * sizeof(**items));
	return (struct string_list){*items, count + l->count};
}

static int further_enter(struct further *p, struct err *e)
{
	const struct further_request *r = &p->request;
	auto_free char **words = NULL;
	auto_free char **env = NULL;
	const struct list none = {0};
	const struct door_wish wish = {
		.argv = further_list(r->program ? DOOR_PROGRAM : NULL, r->words, &words),
		.env = further_list(NULL, r->env ? r->env : &none, &env),
		.workdir = r->workdir,
		.interactive = r->interactive,
		.tty = r->tty,
		.rows = r->rows,
		.columns = r->columns,
		.program = r->program ? *r->program : -1,
	};
	struct child *c = &p->child;

	if (session_door_order(&p->door, &wish, c, e) ||
	    hub_watch(p->hub, &p->reports, c->reports, EPOLLIN, e) ||
	    hub_watch(p->hub, &p->ends, c->ends, EPOLLIN, e))
		return -1;
	p->input = take_fd(&c->input);
	for (int i = 0; i < 2; i++)
		further_open_stream(p, i, take_fd(&c->output[i]));
	return 0;
}

/* It stands still, and its pid 1 with it: its end will be seen by nobody. */
static void further_give_up(struct further *p)
{
	p->result->failed =
		err_set(&p->result->error, ERR_GONE, "it was killed, and has not ended");
	further_close_watch(p, &p->ends);
	p->child.ends = -1;
	if (p->reports.fd >= 0)
		further_has_been_executed(p);
	p->has_ended = true;
	for (int i = 0; i < 2; i++)
		further_close_stream(&p->streams[i]);
	further_check_end(p);
}

static void further_on_late(void *context)
{
	struct further *p = context;

	if (p->is_killed) {
		further_give_up(p);
		return;
	}
	p->result->timed_out = true;
	further_kill(p);
}

static void further_answered(void *context)
{
	struct further *p = context;
	struct err *e = &p->result->error;

	p->result->no_session = session_door_receive(take_ptr(&p->ask), &p->door, e) != 0;
	if (p->result->no_session || further_enter(p, e)) {
		p->result->failed = p->has_ended = true;
		hub_unwatch(p->hub, &p->reports);
		further_check_end(p);
	} else if (p->request.timeout_ms) {
		hub_ring(p->hub, &p->deadline, monotonic_us() + p->request.timeout_ms * 1000);
	}
}

static bool further_step_ask(void *operation)
{
	return ask_step(operation);
}

int further_start(struct hub *hub, const struct further_request *request,
		  struct further_result *result, void (*done)(void *context), void *context,
		  struct further **out, struct err *e)
{
	struct further *p = own_zeroed(1, sizeof(*p));

	*p = (struct further){
		.hub = hub,
		.request = *request,
		.result = result,
		.done = done,
		.context = context,
		.door = session_door_none(),
		.child = child_none(),
		.input = -1,
		.feed = {.ready = further_on_feed, .context = p, .fd = -1},
		.reports = {.ready = further_on_reports,                        .context = p,          .fd = -1},
		.ends = {.ready = further_on_end,                .context = p,                   .fd = -1},
		.deadline = {.ring = further_on_late,.context = p},
		.rest = {.ring = further_on_rest,  .context = p     }
        };
	for (int i = 0; i < 2; i++)
		p->streams[i] = (struct further_stream){
			.watch = {.ready = further_on_stream, .context = &p->streams[i], .fd = -1},
			.fd = -1,
			.of = p,
			.number = i + 1
                };
	*result = (struct further_result){0};
	p->ask = session_door_ask(request->where, request->name);
	p->operation = (struct hub_operation){.step = further_step_ask,
					      .operation = p->ask,
					      .done = further_answered,
					      .context = p};
	if (hub_drive(hub, &p->operation, ask_loop(p->ask), e)) {
		further_free(p);
		return -1;
	}
	*out = p;
	return 0;
}

uint32_t further_number(const struct further *p)
{
	return p->door.exec;
}

void further_signal(struct further *p, int number)
{
	if (p->door.control >= 0 && !p->has_ended)
		(void)child_order_exec(p->door.control, ORDER_GROUP, number, p->door.exec);
}

void further_kill(struct further *p)
{
	further_signal(p, SIGKILL);
	p->is_killed = true;
	if (!p->has_ended)
		hub_ring(p->hub, &p->deadline, monotonic_us() + KILL_US);
}

void further_free(struct further *p)
{
	if (!p)
		return;
	hub_drop(&p->operation);
	ask_abandon(p->ask);
	hub_silence(p->hub, &p->deadline);
	hub_silence(p->hub, &p->rest);
	further_feed_end(p);
	for (int i = 0; i < 2; i++)
		further_close_stream(&p->streams[i]);
	hub_unwatch(p->hub, &p->reports);
	hub_unwatch(p->hub, &p->ends);
	child_end(&p->child);
	session_door_close(&p->door);
	free(p);
}
