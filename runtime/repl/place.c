/*
 * place - the session of a prompt: one kept under a name, or one of our own.
 */
#include "repl/place.h"

#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/own.h"
#include "client/call.h"
#include "client/client.h"
#include "client/network.h"

static void place_open(struct place *p)
{
	*p = (struct place){
		.warm = {.pipe = -1, .said = -1},
                  .connection = -1
        };
	p->session = session_none();
}

void place_open_kept(struct place *p, const char *name)
{
	place_open(p);
	p->name = name;
}

int place_open_own(struct place *p, struct sandbox_spec *spec, const struct repl_options *o,
		   struct err *e)
{
	const struct supplier_terms terms = {.image = spec->image,
					     .preload = o->preload,
					     .trust_image = o->trust_image,
					     .pool = 1};

	place_open(p);
	p->spec = spec;
	return supplier_open(&terms, &p->warm, e);
}

static int place_try_session(struct place *p, struct err *e)
{
	auto_buf struct buf published = {0};

	p->has_session =
		!session_start(supplier_where(&p->warm), p->spec, &published, &p->session, e);
	network_say_published(&published, "glovebox");
	return p->has_session ? 0 : -1;
}

/* The user's supervisor may turn out not to fit. */
static int place_start_session(struct place *p, struct err *e)
{
	struct err second;

	if (!place_try_session(p, e) ||
	    (!p->warm.own && !supplier_fall_back(&p->warm, &second) && !place_try_session(p, e))) {
		supplier_tell(&p->warm);
		return 0;
	}
	if (p->warm.own)
		supplier_explain(&p->warm, e);
	return -1;
}

static void place_end_session(struct place *p)
{
	if (p->has_session)
		session_end(&p->session);
	p->session = session_none();
	p->has_session = p->is_left = false;
}

static bool place_is_signalled(struct patience *patience)
{
	struct signalfd_siginfo info;

	while (!patience->signal &&
	       read(patience->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		patience->signal = info.ssi_signo == SIGWINCH ? 0 : (int)info.ssi_signo;
	return patience->signal != 0;
}

static int place_borrow(struct place *p, size_t length, struct patience *patience, struct err *e)
{
	const struct borrow_request request = {.name = p->name,
					       .wait_ms = patience->wait_ms,
					       .limit_ms = SPEC_UNLIMITED,
					       .outlives = client_use(length) == BORROW_CALL};
	struct ask *x;

	if (client_check_name(p->name, e))
		return -1;
	x = ask_start(NULL, -1, OP_BORROW, &request, NULL, 0);
	while (!ask_step(x)) {
		if (loop_wait(ask_loop(x), patience->signal_fd) && place_is_signalled(patience)) {
			ask_abandon(x);
			return err_set(e, ERR_BUSY, "the session is busy");
		}
	}
	p->has_session =
		!client_take_borrowed(NULL, x, BORROW_CALL, &p->session, &p->connection, e);
	return p->has_session ? 0 : -1;
}

/* In a session of our own we interrupt the leftover code; in others the supervisor does. */
static int place_await_left(struct place *p, struct patience *patience, struct err *e)
{
	static const char ping[] = "\"op\":\"ping\"";
	const struct call_request request = {p->session.fds[SESSION_CHANNEL], ping, strlen(ping),
					     -1};
	struct session_call call = {.timeout_ms = patience->wait_ms,
				    .output_max = SPEC_UNLIMITED,
				    .answer_max = 4096,
				    .signal_fd = patience->signal_fd,
				    .spares = true};
	struct call *x;
	int bad;

	if (call_start(&p->session, &request, &call, e, &x))
		return -1;
	do {
		if (loop_wait(call_loop(x), call.signal_fd) && place_is_signalled(patience))
			call_interrupt(x);
	} while (!call_step(x));
	bad = call_end(x);
	buf_fini(&call.answer);
	p->is_left = call.left;
	if (call.lost)
		place_end_session(p);
	return bad;
}

int place_take(struct place *p, size_t length, struct patience *patience, struct err *e)
{
	bool waits = p->is_left || (!p->name && !p->has_session);

	if (waits && !patience->wait_ms)
		return err_set(e, ERR_BUSY, "the session is busy");
	if (p->name)
		return place_borrow(p, length, patience, e);
	if (!p->has_session)
		return place_start_session(p, e);
	return p->is_left ? place_await_left(p, patience, e) : 0;
}

void place_give_back(struct place *p, const struct session_call *call, struct err *e)
{
	struct err ignored;

	p->is_left = call->left;
	if (!p->name) {
		if (call->lost)
			place_end_session(p);
		return;
	}
	if (call->left) { /* as if we had vanished: the supervisor interrupts it */
		own_close(&p->connection);
		session_close(&p->session);
	} else if (call->lost) {
		client_lose(NULL, &p->session, call, &p->connection, e);
	} else {
		(void)client_return(NULL, &p->session, false, &p->connection, &ignored);
	}
	p->session = session_none();
	p->has_session = false;
}

void place_close(struct place *p)
{
	if (!p->name)
		place_end_session(p);
	supplier_close(&p->warm);
}
