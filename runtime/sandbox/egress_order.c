/*
 * egress_order - ask the process that serves one sandbox's network.
 */
#include "sandbox/egress_order.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/json_put.h"
#include "base/own.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "net/message.h"

#define REQUEST_MAX (128u << 10)
#define ANSWER_MAX  (128u << 10) /* enough for a list (EGRESS_MAX_JSON) */

static int egress_order_is_gone(struct err *e)
{
	return err_set(e, ERR_GONE, "the process for its network (%s) has ended", EGRESS_PROGRAM);
}

static int egress_order_is_silent(struct err *e)
{
	return err_set(e, ERR_SYSTEM, "%s does not answer", EGRESS_PROGRAM);
}

/* -- giving one, and its answer -------------------------------------------------------------- */

/* 1: it is given; 0: the process does not take it now; -1: *e. */
static int egress_order_try(int control, const struct buf *request, const int *fds, unsigned count,
			    struct err *e)
{
	ssize_t n = message_send(control, request->data, request->length, fds, count, MSG_DONTWAIT);

	if (n >= 0)
		return 1;
	if (errno == EAGAIN)
		return 0;
	return errno == EPIPE || errno == ECONNRESET
		       ? egress_order_is_gone(e)
		       : err_sys(e, "send an order to %s", EGRESS_PROGRAM);
}

/* @waits: while the process does not take it. */
static int egress_order_give(int control, const struct buf *request, const int *more,
			     unsigned count, bool waits, struct egress_order *out, struct err *e)
{
	auto_fd int ours = -1;
	auto_fd int theirs = -1;
	int fds[1 + EGRESS_ORDER_FDS];
	int given;

	*out = egress_order_none();
	if (request->length > REQUEST_MAX)
		return err_input(e, "the list of hosts is too long: %zu KiB, and %u are possible",
				 request->length >> 10, REQUEST_MAX >> 10);
	if (message_pair(SOCK_SEQPACKET, &ours, &theirs))
		return err_sys(e, "make a socket for an answer");
	fds[0] = theirs;
	if (count)
		memcpy(fds + 1, more, count * sizeof(*more));
	egress_order_wait_from_now(out);
	do
		given = egress_order_try(control, request, fds, 1 + count, e);
	while (!given && waits && fd_await(control, POLLOUT, out->end_us));
	if (given <= 0)
		return given < 0 ? -1 : egress_order_is_silent(e);
	out->answer = take_fd(&ours);
	return 0;
}

int egress_order_send(int control, const struct buf *request, const int *fds, unsigned count,
		      struct egress_order *out, struct err *e)
{
	return egress_order_give(control, request, fds, count, false, out, e);
}

void egress_order_wait_from_now(struct egress_order *o)
{
	o->end_us = monotonic_us() + EGRESS_ANSWER_MS * 1000ull;
}

void egress_order_end(struct egress_order *o)
{
	own_close(&o->answer);
}

static int egress_order_take_error(const struct json *answer, struct err *e)
{
	const char *text = json_string_at(answer, "error");
	const char *kind = json_string_at(answer, "kind");
	const enum err_kind known = kind ? err_kind_of(kind) : ERR_NONE;

	if (!text)
		return err_set(e, ERR_SYSTEM, "%s gave an answer that is none", EGRESS_PROGRAM);
	return err_set(e, known == ERR_NONE ? ERR_SYSTEM : known, "%s", text);
}

int egress_order_look(const struct egress_order *o, struct json **out, struct err *e)
{
	auto_free char *text = own_zeroed(ANSWER_MAX, 1);
	auto_json struct json *json = NULL;
	struct message_extra extra;
	struct err ignored;
	ssize_t n = message_receive(o->answer, text, ANSWER_MAX, MSG_DONTWAIT, &extra);

	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return monotonic_us() < o->end_us ? 0 : egress_order_is_silent(e);
	if (n >= 0)
		message_drop(&extra); /* an answer carries no descriptors */
	if (n <= 0)
		return egress_order_is_gone(e);
	json = json_parse(text, (size_t)n, &ignored);
	if (!json || !json_is_object(json) || !json_is_true(json_get(json, "ok")))
		return egress_order_take_error(json && json_is_object(json) ? json : NULL, e);
	*out = take_ptr(&json);
	return 1;
}

/* Give an order and wait for the answer, which is owned. */
static int egress_order_call(int control, const struct buf *request, struct json **out,
			     struct err *e)
{
	struct egress_order order;
	int got;

	if (egress_order_give(control, request, NULL, 0, true, &order, e))
		return -1;
	while (!(got = egress_order_look(&order, out, e)))
		(void)fd_await(order.answer, POLLIN, order.end_us);
	egress_order_end(&order);
	return got < 0 ? -1 : 0;
}

/* -- what can be ordered --------------------------------------------------------------------- */

static void egress_order_write(const char *op, const struct egress_spec *spec, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "op", op);
	if (spec)
		egress_to_json(spec, out);
	json_put_end(out, '}');
}

static void egress_order_write_ports(const char *op, const struct egress_published *ports,
				     size_t count, struct buf *out)
{
	const struct egress_spec only = {.published = (struct egress_published *)ports,
					 .published_count = count,
					 .connections = 1};

	egress_order_write(op, &only, out);
}

void egress_order_write_list(const struct egress_spec *list, struct buf *out)
{
	egress_order_write("list", list, out);
}

void egress_order_write_publish(const struct egress_published *ports, size_t count, struct buf *out)
{
	egress_order_write_ports("publish", ports, count, out);
}

void egress_order_write_withdraw(const struct egress_published *ports, size_t count,
				 struct buf *out)
{
	egress_order_write_ports("withdraw", ports, count, out);
}

int egress_replace(int control, const struct egress_spec *spec, struct err *e)
{
	auto_buf struct buf request = {0};
	auto_json struct json *answer = NULL;

	egress_order_write_list(spec, &request);
	return egress_order_call(control, &request, &answer, e);
}

int egress_show(int control, struct egress_spec *out, struct err *e)
{
	auto_buf struct buf request = {0};
	auto_json struct json *answer = NULL;
	const struct json *network;

	egress_order_write("show", NULL, &request);
	if (egress_order_call(control, &request, &answer, e))
		return -1;
	network = json_get(answer, "network");
	return network ? egress_from_json(network, out, e) : egress_order_take_error(answer, e);
}

int egress_summarize(int control, struct egress_summary *out, struct err *e)
{
	auto_buf struct buf request = {0};
	auto_json struct json *answer = NULL;
	const struct json *summary;

	egress_order_write("summary", NULL, &request);
	if (egress_order_call(control, &request, &answer, e))
		return -1;
	summary = json_get(answer, "summary");
	if (!summary || !json_is_object(summary))
		return egress_order_take_error(answer, e);
	egress_summary_read(summary, out);
	return 0;
}
