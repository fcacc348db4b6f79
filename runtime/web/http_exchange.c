/*
 * http_exchange - one request: whether it is admitted, its body, its route, its end.
 */
#include "web/http_exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "loop/clock.h"
#include "web/flight.h"
#include "web/http_arrival.h"
#include "web/http_path.h"
#include "web/http_route.h"
#include "web/http_transit.h"

#define LONG_BODY   (1u << 20)
#define PAUSES      3       /* pause of a key after a long body, in multiples of the time it took */
#define LONGEST_US  1000000 /* longest such time; beyond, the machine was suspended */
#define SWALLOW_MAX 1000000 /* bytes of a refused body read before the connection is cut */

/* -- headers --------------------------------------------------------------------------------- */

static uint64_t http_exchange_swallow_max(const struct exchange_state *x)
{
	return x->is_refused && !x->is_turned_away ? x->http->options.swallow_max : SWALLOW_MAX;
}

/*
 * Whether a refusal waits for the end of the body, so that the connection can go on. With "Expect:
 * 100-continue" the client has not sent any of the body.
 */
static bool http_exchange_swallows(const struct exchange_state *x)
{
	const struct head *head = &x->head;

	if (head->status || ((head->length || head->is_chunked) && head_field(head, "Expect")))
		return false;
	return head->length <= http_exchange_swallow_max(x);
}

/* Reply 405 with the methods of the path, or 404 if it has none. */
static void http_exchange_refuse_method(struct exchange_state *x)
{
	const struct head *head = &x->head;
	auto_buf struct buf allow = {0};

	http_route_methods(x->site->routes, x->path, &allow);
	if (!allow.length) {
		request_refuse(&x->request, 404, "Not Found");
		return;
	}
	request_set_header(&x->request, "Allow", buf_string(&allow));
	if (!strcmp(head->method, "OPTIONS"))
		request_reply(&x->request, 204, NULL, NULL);
	else
		request_refuse(&x->request, 405, "Method Not Allowed");
}

/* Refuse what no route need see. Returns false if it was refused. */
static bool http_exchange_admit(struct exchange_state *x)
{
	const struct site *site = x->site;
	const struct head *head = &x->head;
	struct request *r = &x->request;

	x->is_last = true;
	if (head->status) {
		request_refuse(r, head->status, "%s", head->wrong);
		return false;
	}
	if (site->admit && !site->admit(r))
		return false;
	x->is_last = head->is_last;
	if (!r->route) {
		http_exchange_refuse_method(x);
		return false;
	}
	if (http_path_segments(r->route->path, x->path, r->segments)) {
		request_refuse(r, 404, "Not Found");
		return false;
	}
	return true;
}

/* Prepare for the body, or refuse it. */
static void http_exchange_prepare(struct exchange_state *x)
{
	const struct route *route = x->request.route;
	struct request *r = &x->request;

	if (x->head.length > route->body_max) {
		x->is_last = true;
		request_refuse(r, 413, "the body has more than %zu bytes", route->body_max);
	} else if (!route->take && !http_transit_take_body(x, x->head.length)) {
		x->is_last = true;
		x->site->turn_away(r);
	} else if (route->take && !route->take(r, "", 0)) {
		x->is_refused = true;
		x->is_last |= !http_exchange_swallows(x);
		x->stage = STAGE_WORK; /* its body is dropped, whenever it replies */
		route->run(r);
	}
}

/* A short body that the route ignores need not be waited for. */
static bool http_exchange_wants_body(const struct exchange_state *x)
{
	const struct route *route = x->request.route;

	return x->stage == STAGE_BODY && (route->take || route->body_max > HTTP_NO_BODY);
}

static void http_exchange_run_in_turn(void *context);

static void http_exchange_read_head(struct exchange_state *x, size_t length)
{
	static const struct head too_large = {.method = "",
					      .path = "",
					      .status = 431,
					      .wrong = "the headers have more than 16384 bytes"};

	_Static_assert(HEAD_BYTES == 16384, "it is said above");
	if (x->text)
		head_parse(x->text, length, &x->head);
	else
		x->head = too_large;
	x->request.method = x->head.method;
	x->request.path = x->head.path;
}

struct exchange_state *http_exchange_begin(struct http_connection *c, char *text, size_t length)
{
	struct exchange_state *x = own_zeroed(1, sizeof(*x));
	const struct site *site = c->listener->site;
	struct request *r = &x->request;

	x->http = c->http;
	x->connection = c;
	x->site = site;
	x->text = text;
	x->file = -1;
	x->turn = (struct hub_timer){.ring = http_exchange_run_in_turn, .context = x};
	r->server = x->http->options.server;
	r->state = x;
	r->began_us = monotonic_us();
	LIST_INSERT_HEAD(&x->http->exchanges, x, link);
	http_exchange_read_head(x, length);
	if (site->begin)
		site->begin(r);
	x->path = x->head.path + (site->prefix ? site->prefix(x->head.path) : 0);
	r->route = http_route_find(site->routes, x->path, x->head.method);
	if (http_exchange_admit(x))
		http_exchange_prepare(x);
	http_arrival_begin_body(c, http_exchange_wants_body(x));
	if (x->stage == STAGE_BODY)
		x->body_max = r->route->body_max;
	x->has_rest = x->stage != STAGE_BODY && !http_exchange_swallows(x);
	x->is_last |= x->has_rest;
	return x;
}

/* -- the body -------------------------------------------------------------------------------- */

/* Returns false if the body is refused. */
static bool http_exchange_keep(struct exchange_state *x, const char *bytes, size_t length)
{
	struct request *r = &x->request;

	if (r->route->take)
		return r->route->take(r, bytes, length);
	x->is_turned_away = !http_transit_take_body(x, r->body.length + length);
	if (x->is_turned_away)
		buf_fini(&r->body);
	else
		buf_add(&r->body, bytes, length);
	return !x->is_turned_away;
}

bool http_exchange_take(struct exchange_state *x, const char *bytes, size_t length)
{
	http_arrival_move(x->connection, length);
	x->taken += length;
	x->is_too_large = x->taken > x->body_max;
	if (x->stage != STAGE_BODY || x->is_too_large || x->is_refused) {
		x->swallowed += length;
		return x->swallowed <= http_exchange_swallow_max(x);
	}
	x->is_refused = !http_exchange_keep(x, bytes, length);
	if (x->is_refused)
		http_arrival_begin_body(x->connection, false);
	return true;
}

/* -- work ------------------------------------------------------------------------------------ */

/* The route parses the body now; what it keeps of it stays charged. */
static void http_exchange_work(struct exchange_state *x)
{
	x->request.route->run(&x->request);
	buf_fini(&x->request.body);
}

/*
 * One thread parses all bodies. After a long one its key pauses for three times as long as that
 * took, so the thread is free for other keys most of the time.
 */
static void http_exchange_run_in_turn(void *context)
{
	struct exchange_state *x = context;
	struct flight *payer = x->request.payer;
	const uint64_t now = monotonic_us();

	if (x->stage != STAGE_WORK)
		return; /* the server is shutting down, or the client disconnected */
	if (payer->turn_us > now) {
		hub_ring(x->http->hub, &x->turn, payer->turn_us);
		return;
	}
	http_exchange_work(x);
	payer->turn_us = monotonic_us();
	payer->turn_us += PAUSES * clock_earlier(payer->turn_us - now, LONGEST_US);
}

static bool http_exchange_takes_turns(const struct exchange_state *x)
{
	return x->request.payer && x->request.body.length > LONG_BODY &&
	       !x->http->options.flights->has_one_holder;
}

static void http_exchange_abandon(struct exchange_state *x)
{
	if (x->request.abandon)
		x->request.abandon(&x->request);
	x->request.abandon = NULL;
}

void http_exchange_run(struct exchange_state *x)
{
	if (x->stage != STAGE_BODY)
		return; /* it was refused, and its body dropped */
	x->stage = STAGE_WORK;
	if (x->is_too_large) {
		http_exchange_abandon(x);
		request_refuse(&x->request, 413, "the body has more than %zu bytes",
			       x->request.route->body_max);
	} else if (x->is_turned_away) {
		x->site->turn_away(&x->request);
	} else if (http_exchange_takes_turns(x)) {
		http_exchange_run_in_turn(x);
	} else {
		http_exchange_work(x);
	}
}

void http_exchange_spoil(struct exchange_state *x, const char *why)
{
	x->is_last = x->has_rest = true;
	if (x->stage != STAGE_BODY)
		return;
	http_exchange_abandon(x);
	request_refuse(&x->request, 400, "%s", why);
}

/* -- the end --------------------------------------------------------------------------------- */

void http_exchange_leave(struct exchange_state *x)
{
	struct request *r = &x->request;

	if (x->stage == STAGE_BODY) {
		x->stage = STAGE_LEFT;
	} else if (x->stage == STAGE_WORK || (x->stage == STAGE_READY && x->is_stream)) {
		http_exchange_abandon(x);
		if (!x->is_stream)
			x->site->dismiss(r);
		else if (r->end_stream)
			r->end_stream(r);
		else
			x->stage = STAGE_LEFT;
	}
	http_wake(x->connection);
}

void http_exchange_end(struct exchange_state *x, bool is_complete)
{
	struct http *h = x->http;

	x->is_complete = is_complete;
	x->stage = STAGE_LEFT;
	LIST_REMOVE(x, link);
	hub_silence(h->hub, &x->turn);
	http_exchange_abandon(x);
	http_transit_end(x);
	if (x->site->forget)
		x->site->forget(&x->request);
	for (unsigned i = 0; i < HTTP_SEGMENTS; i++)
		free(x->request.segments[i]);
	for (unsigned i = 0; i < x->header_count; i++)
		free(x->headers[i].value);
	buf_fini(&x->request.body);
	buf_fini(&x->body);
	own_close(&x->file);
	free(x->text);
	free(x);
}
