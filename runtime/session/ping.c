/*
 * ping - ask whether a checkpoint is alive, and which process it is.
 */
#include "session/ping.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/own.h"
#include "loop/clock.h"
#include "session/exchange.h"
#include "wire/frame.h"

#define WAIT_MS    20000
#define ANSWER_MAX 4096
#define GONE       "the checkpoint has ended (memory limit?)"

struct ping {
	struct loop loop;
	struct pollfd pipe; /* owned */
	uint64_t end_us;    /* for the whole answer: sending it byte by byte gains no time */
	struct frame answer;
	bool is_over;
	struct err e; /* ERR_NONE if it has answered */
};

static int ping_read(struct buf *body, struct ping_answer *out, struct err *e)
{
	auto_json struct json *said = json_parse(buf_string(body), body->length, e);
	const char *why = NULL;
	const char *ends = "";
	uint64_t pid = 0;

	if (!said || json_get_string(said, "error", &why, e))
		return -1;
	if (why)
		return err_set(e, ERR_SYSTEM, "it cannot be made: %.300s", why);
	if (json_get_uint(said, "pid", &pid, e) || json_get_string(said, "ends", &ends, e))
		return -1;
	if (pid < 1 || pid > UINT32_MAX)
		return err_input(e, "it names a pid that cannot be");
	out->pid = (uint32_t)pid;
	snprintf(out->ends, sizeof(out->ends), "%s", ends);
	return 0;
}

/* The queue fills up if a checkpoint does not read its requests. */
static int ping_fail_to_send(struct err *e)
{
	if (errno == EAGAIN)
		return err_set(e, ERR_LIMIT,
			       "the checkpoint reads no requests, and their queue is full "
			       "(net.core.wmem_default): roll back to another, or end the session");
	return exchange_no_room(errno, e) ? -1 : err_set(e, ERR_SYSTEM, GONE);
}

/* 1: answered; 0: not yet; -1: *e. */
static int ping_receive(struct ping *x, struct err *e)
{
	char bytes[ANSWER_MAX];
	ssize_t n = read(x->pipe.fd, bytes, sizeof(bytes));
	size_t used;
	int done;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return err_set(e, ERR_SYSTEM, GONE);
	done = frame_add(&x->answer, bytes, (size_t)n, ANSWER_MAX, &used, e);
	return done < 0 ? err_prefix(e, "the checkpoint") : done;
}

static void ping_arrange(struct ping *x)
{
	loop_arrange(&x->loop, &x->pipe, 1, x->end_us);
}

bool ping_step(struct ping *x)
{
	struct err e = {0};
	int done = 0;

	loop_collect(&x->loop);
	if (x->pipe.revents)
		done = ping_receive(x, &e);
	else if (monotonic_us() >= x->end_us)
		done = err_set(&e, ERR_SYSTEM, "the checkpoint does not answer");
	if (done)
		x->e = e;
	else
		ping_arrange(x);
	x->is_over = done;
	return x->is_over;
}

struct loop *ping_loop(struct ping *x)
{
	return &x->loop;
}

static void ping_free(struct ping *x)
{
	loop_close(&x->loop);
	own_close(&x->pipe.fd);
	frame_fini(&x->answer);
	free(x);
}

int ping_start(int socket, struct ping **out, struct err *e)
{
	struct ping *x = own_zeroed(1, sizeof(*x));
	auto_fd int theirs = -1;

	x->loop = loop_none();
	x->pipe = (struct pollfd){-1, POLLIN, 0};
	x->end_us = monotonic_us() + WAIT_MS * 1000ull;
	if (frame_pipe(&x->pipe.fd, &theirs)) {
		err_sys(e, "make the pipe of a checkpoint's answer");
		ping_free(x);
		return -1;
	}
	if (frame_ping(socket, theirs)) {
		ping_fail_to_send(e);
		ping_free(x);
		return -1;
	}
	err_set(&x->e, ERR_SYSTEM, "interrupted while the checkpoint was asked");
	ping_arrange(x);
	*out = x;
	return 0; /* now only the checkpoint has the other end, so we notice when it closes it */
}

int ping_end(struct ping *x, struct ping_answer *out, struct err *e)
{
	int bad = -1;

	if (x->e.kind != ERR_NONE)
		*e = x->e;
	else
		bad = ping_read(&x->answer.body, out, e) ? err_prefix(e, "the checkpoint") : 0;
	ping_free(x);
	return bad;
}
