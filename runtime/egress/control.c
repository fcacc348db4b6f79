/*
 * control - answer requests of the monitor or supervisor that started this process.
 */
#include "egress/control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/json.h"
#include "base/json_put.h"
#include "base/own.h"
#include "egress/flow.h"
#include "host/omit.h"
#include "net/message.h"

#define CONTROL_LEAST_BURST 4096

/*
 * A request, and its descriptors: one for the answer, then those of the ports that it publishes,
 * then one more, of a log.
 */
struct control_request {
	struct json *json; /* owned */
	struct message_extra extra;
};

#define CONTROL_FIRST 1 /* descriptor behind the one for the answer */

static void control_end(struct control_request *request)
{
	message_drop(&request->extra);
	json_free(request->json);
	request->json = NULL;
}

/* Write the answer; a requester whose pipe is full or closed gets none. */
static void control_answer(struct control_request *request, const struct buf *text)
{
	(void)message_send(request->extra.fds[0], text->data, text->length, NULL, 0, MSG_DONTWAIT);
	control_end(request);
}

static void control_refuse(struct control_request *request, const struct err *e)
{
	auto_buf struct buf out = {0};
	char text[sizeof(e->text) + 100];

	json_put_begin(&out, NULL, '{');
	json_put_text(&out, "error", err_string(e, text, sizeof(text)));
	json_put_text(&out, "kind", err_kind_name(e->kind));
	json_put_end(&out, '}');
	control_answer(request, &out);
}

/* 1: a request; 0: end of file; -1: an invalid message. */
static int control_receive(const struct control *c, int flags, struct control_request *out)
{
	auto_free char *text = own_zeroed(1, CONTROL_MAX_TEXT);
	struct err e = {0};
	ssize_t n = message_receive(c->fd, text, CONTROL_MAX_TEXT, flags, &out->extra);

	out->json = NULL;
	if (n > 0 && out->extra.fd_count) {
		out->json = json_parse(text, (size_t)n, &e);
		if (out->json)
			return 1;
		control_refuse(out, &e);
		return -1;
	}
	message_drop(&out->extra);
	return n == 0 ? 0 : -1;
}

/* -- what can be asked ------------------------------------------------------------------ */

/* Bytes that may pass at once: those of a quarter of a second, at least a page. */
static uint64_t control_burst(uint64_t rate)
{
	return rate / 4 > CONTROL_LEAST_BURST ? rate / 4 : CONTROL_LEAST_BURST;
}

/* Whether so many descriptors came for published ports, and @more at most behind them. */
static int control_check_fds(const struct control_request *request, size_t ports, unsigned more,
			     struct err *e)
{
	const size_t least = CONTROL_FIRST + ports;
	const unsigned count = request->extra.fd_count;

	return count < least || count > least + more
		       ? err_input(e, "descriptors of published ports are missing")
		       : 0;
}

static int control_begin_with(struct control *c, struct control_request *request, struct err *e)
{
	struct egress *g = c->egress;
	struct egress_spec spec = {0};
	const char *sandbox = json_string_at(request->json, "sandbox");

	if (egress_from_json(request->json, &spec, e))
		return -1;
	if (control_check_fds(request, spec.published_count, 1, e) ||
	    (spec.proxy && proxy_open(spec.proxy, &g->proxy, e))) {
		egress_free(&spec);
		return -1;
	}
	snprintf(g->record.sandbox, sizeof(g->record.sandbox), "%s", sandbox ? sandbox : "");
	listeners_publish(c->listeners, g, &spec, request->extra.fds + CONTROL_FIRST);
	if (request->extra.fd_count > CONTROL_FIRST + spec.published_count)
		g->record.log = take_fd(&request->extra.fds[CONTROL_FIRST + spec.published_count]);
	g->record.log_bytes = spec.log_bytes;
	meter_init(&g->meter, spec.rate_bytes, control_burst(spec.rate_bytes));
	g->bytes_left =
		spec.total_bytes && !host_omits("egress-bounds") ? spec.total_bytes : UINT64_MAX;
	net_replace(&g->net, &spec);
	return 0;
}

static int control_check_ports(const struct control *c, const struct egress_spec *list,
			       struct err *e)
{
	uint16_t ports[EGRESS_MAX_PORTS];
	size_t count = egress_ports(list, ports);

	for (size_t i = 0; i < count; i++) {
		if (!listeners_have(c->listeners, ports[i]))
			return err_input(
				e,
				"port %u was in no list when it began: only those that were "
				"can be reached later",
				(unsigned)ports[i]);
	}
	return 0;
}

static int control_refuse_listless(struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED,
		       "it has no list of hosts: begin it with --egress, even if that is none");
}

/* Write the current list with its limits. */
static int control_show(const struct control *c, struct buf *out, struct err *e)
{
	const struct egress_spec *list = &c->egress->net.list;

	if (!list->has_list)
		return control_refuse_listless(e);
	json_put_begin(out, "network", '{');
	egress_to_json(list, out);
	json_put_end(out, '}');
	return 0;
}

static int control_list(struct control *c, struct control_request *request, struct err *e)
{
	struct egress *g = c->egress;
	struct egress_spec list = {0};
	struct egress_spec *old = &g->net.list;

	if (!old->has_list)
		return control_refuse_listless(e);
	if (egress_from_json(request->json, &list, e))
		return -1;
	if (control_check_ports(c, &list, e)) {
		egress_free(&list);
		return -1;
	}
	/* Replace only the list: the limits belong to the sandbox. */
	list.has_list = true;
	list.connections = old->connections;
	net_replace(&g->net, &list);
	flow_check_all(g);
	return 0;
}

static int control_publish_all(struct control *c, struct control_request *request,
			       const struct egress_spec *more, struct err *e)
{
	if (control_check_fds(request, listeners_lacking(c->listeners, more), 0, e) ||
	    listeners_check(c->listeners, more, e))
		return -1;
	listeners_publish(c->listeners, c->egress, more, request->extra.fds + CONTROL_FIRST);
	if (!listeners_start_published(c->listeners, e))
		return 0;
	listeners_withdraw(c->listeners, more);
	return -1;
}

static int control_publish(struct control *c, struct control_request *request, struct err *e)
{
	struct egress_spec more = {0};
	int bad;

	if (egress_from_json(request->json, &more, e))
		return -1;
	bad = control_publish_all(c, request, &more, e);
	egress_free(&more);
	return bad;
}

static int control_withdraw(struct control *c, struct control_request *request, struct err *e)
{
	struct egress_spec less = {0};

	if (egress_from_json(request->json, &less, e))
		return -1;
	listeners_withdraw(c->listeners, &less);
	egress_free(&less);
	return 0;
}

/* Sum up ended and live connections. */
static void control_put_summary(const struct egress *g, struct buf *out)
{
	struct record sum = g->record;

	flow_sum(g, &sum.counters);
	record_put(&sum, out, "summary");
}

static int control_obey(struct control *c, struct control_request *request, struct buf *out,
			struct err *e)
{
	const char *op = json_string_at(request->json, "op");

	json_put_begin(out, NULL, '{');
	json_put_bool(out, "ok", true);
	if (op && !strcmp(op, "list")) {
		if (control_list(c, request, e))
			return -1;
	} else if (op && !strcmp(op, "publish")) {
		if (control_publish(c, request, e))
			return -1;
	} else if (op && !strcmp(op, "withdraw")) {
		if (control_withdraw(c, request, e))
			return -1;
	} else if (op && !strcmp(op, "show")) {
		if (control_show(c, out, e))
			return -1;
	} else if (op && !strcmp(op, "summary")) {
		control_put_summary(c->egress, out);
	} else {
		return err_input(e, "the process for the network does not know what that is");
	}
	json_put_end(out, '}');
	return 0;
}

static void control_ready(struct watch *w, uint32_t events)
{
	struct control *c = (struct control *)w;
	struct control_request request;
	auto_buf struct buf out = {0};
	struct err e = {0};
	int came = control_receive(c, MSG_DONTWAIT, &request);

	(void)events;
	c->has_ended = came == 0;
	if (came <= 0)
		return;
	if (control_obey(c, &request, &out, &e))
		control_refuse(&request, &e);
	else
		control_answer(&request, &out);
}

int control_begin(struct control *c)
{
	struct control_request request;
	auto_buf struct buf out = {0};
	struct err e = {0};

	if (control_receive(c, 0, &request) <= 0)
		return -1;
	if (control_begin_with(c, &request, &e)) {
		control_refuse(&request, &e);
		return -1;
	}
	json_put_begin(&out, NULL, '{');
	json_put_bool(&out, "ok", true);
	json_put_end(&out, '}');
	control_answer(&request, &out);
	return 0;
}

int control_start(struct control *c, struct err *e)
{
	c->watch = (struct watch){.fd = -1, .ready = control_ready};
	return reactor_watch(&c->egress->reactor, &c->watch, c->fd, EPOLLIN)
		       ? err_sys(e, "wait for requests")
		       : 0;
}
