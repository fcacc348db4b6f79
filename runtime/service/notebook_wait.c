/*
 * notebook_wait - do one thing with a session, and wait for its end.
 */
#include "service/notebook_wait.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"
#include "client/supervisors.h"
#include "loop/clock.h"

struct notebook_waiting {
	const struct notebook_wait *wait;
	struct hub *hub;
	struct notebook *notebook;
	struct hub_watch signals;
	struct hub_timer tick;
	struct hub_timer late;
	const char *name;
	int caught;       /* owned: the signalfd of catches_signals; -1 */
	sigset_t catches; /* the mask with which it catches */
	bool is_over;
};

static void notebook_wait_done(void *context)
{
	struct notebook_waiting *x = context;

	x->is_over = true;
}

static void notebook_wait_take_signals(void *context, uint32_t events)
{
	struct notebook_waiting *x = context;
	struct signalfd_siginfo info;

	(void)events;
	while (!x->is_over && read(x->signals.fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo != SIGWINCH)
			notebook_cancel(x->notebook);
	}
}

static int notebook_wait_watch_signals(struct notebook_waiting *x, int fd, struct err *e)
{
	x->signals =
		(struct hub_watch){.ready = notebook_wait_take_signals, .context = x, .fd = -1};
	return fd < 0 ? 0 : hub_watch(x->hub, &x->signals, fd, EPOLLIN, e);
}

static void notebook_wait_tick(void *context)
{
	struct notebook_waiting *x = context;

	x->wait->tick(x->wait->context);
	hub_ring(x->hub, &x->tick, monotonic_us() + NOTEBOOK_TICK_US);
}

static void notebook_wait_late(void *context)
{
	const struct notebook_waiting *x = context;

	if (!x->is_over && notebook_is_waiting(x->notebook))
		x->wait->waits(x->name);
}

static void notebook_wait_begun(void *context)
{
	struct notebook_waiting *x = context;

	if (x->wait->catches_signals)
		sigprocmask(SIG_SETMASK, &x->catches, NULL);
	if (x->wait->begun)
		x->wait->begun(x->wait->context);
}

static void notebook_wait_answered(void *context)
{
	struct notebook_waiting *x = context;

	if (x->wait->answered)
		x->wait->answered(x->wait->context);
}

/* The descriptor is made at once, while that may fail; until then signals do what they did. */
static int notebook_wait_open_signals(struct notebook_waiting *x, struct err *e)
{
	sigset_t before;

	if (!x->wait->catches_signals)
		return notebook_wait_watch_signals(x, x->wait->signal_fd, e);
	if (sigprocmask(SIG_SETMASK, NULL, &before))
		return err_sys(e, "look at the signals");
	if (process_signals(&x->caught, e) || notebook_wait_watch_signals(x, x->caught, e))
		return -1;
	sigprocmask(SIG_SETMASK, &before, &x->catches);
	return 0;
}

static int notebook_wait_start(struct notebook_waiting *x, const struct notebook_request *request,
			       struct notebook_result *result, struct err *e)
{
	struct notebook_request with = *request;

	with.call.begun = notebook_wait_begun;
	with.call.answered = notebook_wait_answered;
	if (notebook_wait_open_signals(x, e) ||
	    notebook_start(x->hub, &with, result, notebook_wait_done, x, &x->notebook, e))
		return -1;
	if (x->wait->tick)
		hub_ring(x->hub, &x->tick, monotonic_us() + NOTEBOOK_TICK_US);
	if (x->wait->waits)
		hub_ring(x->hub, &x->late, monotonic_us() + NOTEBOOK_WAITS_US);
	return 0;
}

static int notebook_wait_once(const struct notebook_request *request,
			      const struct notebook_wait *wait, struct notebook_result *result,
			      struct err *e)
{
	struct notebook_waiting x = {
		.wait = wait, .hub = hub_open_lone(), .name = request->name, .caught = -1};
	int bad;

	*result = (struct notebook_result){0};
	x.tick = (struct hub_timer){.ring = notebook_wait_tick, .context = &x};
	x.late = (struct hub_timer){.ring = notebook_wait_late, .context = &x};
	bad = notebook_wait_start(&x, request, result, e);
	while (!bad && !x.is_over)
		hub_turn(x.hub);
	hub_unwatch(x.hub, &x.signals);
	hub_silence(x.hub, &x.tick);
	hub_silence(x.hub, &x.late);
	if (result->call.out) /* of the copy, which goes with the operation */
		result->call.out = request->call.out;
	notebook_free(x.notebook);
	hub_close(x.hub);
	own_close(&x.caught);
	if (!bad && result->failed) {
		*e = result->error;
		bad = -1;
	}
	return bad;
}

int notebook_wait(const struct notebook_request *request, const struct notebook_wait *wait,
		  struct notebook_result *result, struct err *e)
{
	char where[REGISTRY_SUPERVISOR];
	struct notebook_request elsewhere = *request;
	struct err ignored;

	if (!notebook_wait_once(request, wait, result, e))
		return 0;
	if (e->kind != ERR_NOT_FOUND || result->was_there || request->where || !request->name ||
	    supervisors_find(request->name, where, &ignored) || !*where)
		return -1;
	notebook_result_fini(result);
	elsewhere.where = where;
	return notebook_wait_once(&elsewhere, wait, result, e);
}

int notebook_wait_begin(const char *where, const struct sandbox_spec *spec, struct buf *published,
			struct session *own, struct err *e)
{
	const struct notebook_request request = {
		.action = NOTEBOOK_BEGIN,
		.where = where,
		.own = own,
		.begin = {.spec = spec, .published = published}
        };
	const struct notebook_wait wait = {.signal_fd = -1};
	struct notebook_result result;
	int bad = notebook_wait(&request, &wait, &result, e);

	notebook_result_fini(&result);
	return bad;
}
