/*
 * http - requests of clients, parsed by libmicrohttpd.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/own.h"
#include "web/flight.h"
#include "web/http_arrival.h"
#include "web/http_exchange.h"
#include "web/http_headers.h"
#include "web/http_path.h"
#include "web/http_route.h"
#include "web/http_transit.h"

#define LONG_BODY   (1u << 20)
#define PAUSES      3       /* pause of a key after a long body, in multiples of the time it took */
#define LONGEST_US  1000000 /* longest such time; beyond, the machine was suspended */
#define SWALLOW_MAX 1000000 /* bytes of a refused body read before the connection is cut */

/*
 * The client closed in the middle of a body. The library misses an EOF that arrives together with
 * bytes, because it waits for another edge of epoll(7), which never comes. Suspending and resuming
 * the connection makes the library read again.
 */
static void http_left_in_body(void *context, uint32_t events)
{
	struct exchange_state *x = context;
	char byte;

	(void)events;
	if (recv(x->watch.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
		if (http_arrival_is_stuck(x->connection))
			hub_unwatch(x->http->hub, &x->watch);
		return; /* bytes are left: the library reads them */
	}
	hub_unwatch(x->http->hub, &x->watch);
	MHD_suspend_connection(x->connection);
	MHD_resume_connection(x->connection);
	hub_ring(x->http->hub, &x->http->timer, 0);
}

static void http_await_body(struct exchange_state *x)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct err ignored; /* without a watch the arrival timer ends the connection */

	x->watch = (struct hub_watch){.ready = http_left_in_body, .context = x, .fd = -1};
	if (info)
		(void)hub_watch(x->http->hub, &x->watch, info->connect_fd, EPOLLRDHUP, &ignored);
}

static uint64_t http_swallow_max(const struct exchange_state *x)
{
	return x->is_refused && !x->is_turned_away ? x->http->options.swallow_max : SWALLOW_MAX;
}

/*
 * Whether a refusal waits for the end of the body. The library closes a connection whose request is
 * answered early, and a client does not see a reply if we close with bytes unread (RST). With
 * "Expect: 100-continue" the client has not sent any of the body.
 */
static bool http_swallows(const struct exchange_state *x)
{
	const struct request *r = &x->request;
	const char *length = request_header(r, "Content-Length");
	bool has_body =
		length ? strcmp(length, "0") != 0 : request_header(r, "Transfer-Encoding") != NULL;

	if (x->is_unclear || (has_body && request_header(r, "Expect")))
		return false;
	return request_length(r) <= http_swallow_max(x);
}

/* Reply 405 with the methods of the path, or 404 if it has none. */
static void http_refuse_method(struct exchange_state *x, const char *path, const char *method)
{
	auto_buf struct buf allow = {0};

	http_route_methods(x->http->options.site->routes, path, &allow);
	if (!allow.length) {
		request_refuse(&x->request, MHD_HTTP_NOT_FOUND, "Not Found");
		return;
	}
	request_set_header(&x->request, "Allow", buf_string(&allow));
	if (!strcmp(method, "OPTIONS"))
		request_reply(&x->request, MHD_HTTP_NO_CONTENT, NULL, NULL);
	else
		request_refuse(&x->request, MHD_HTTP_METHOD_NOT_ALLOWED, "Method Not Allowed");
}

static void http_look_at_headers(struct exchange_state *x, const char *path, const char *method,
				 const char *version)
{
	const struct site *site = x->http->options.site;
	struct request *r = &x->request;
	const char *problem;

	r->method = method;
	if (site->begin)
		site->begin(r);
	problem = http_headers_problem(r, version);
	r->route = http_route_find(site->routes, path, method);
	if (problem) {
		x->is_unclear = true;
		request_set_header(r, "Connection", "close");
		request_refuse(r, MHD_HTTP_BAD_REQUEST, "%s", problem);
	} else if (site->admit && !site->admit(r)) {
		request_set_header(r, "Connection", "close");
	} else if (!r->route) {
		http_refuse_method(x, path, method);
	} else if (http_path_segments(r->route->path, path, r->segments)) {
		request_refuse(r, MHD_HTTP_NOT_FOUND, "Not Found");
	} else if (request_length(r) > r->route->body_max) {
		request_set_header(r, "Connection", "close");
		request_refuse(r, MHD_HTTP_CONTENT_TOO_LARGE, "the body has more than %zu bytes",
			       r->route->body_max);
	} else if (!r->route->take && !http_transit_take_body(x, request_length(r))) {
		request_set_header(r, "Connection", "close");
		site->turn_away(r);
	} else if (r->route->take && !r->route->take(r, "", 0)) {
		x->is_refused = true;
		if (!http_swallows(x))
			request_set_header(r, "Connection", "close");
		r->route->run(r);
	}
}

static void http_list(struct http *h, struct exchange_state *x)
{
	x->next = h->first;
	x->at = &h->first;
	if (x->next)
		x->next->at = &x->next;
	h->first = x;
}

static void http_unlist(struct exchange_state *x)
{
	*x->at = x->next;
	if (x->next)
		x->next->at = x->at;
}

/* A short body that the route ignores need not be waited for. */
static bool http_wants_body(const struct exchange_state *x)
{
	const struct route *route = x->request.route;

	return x->stage == STAGE_BODY && (route->take || route->body_max > HTTP_NO_BODY);
}

static void http_run_in_turn(void *context);

static struct exchange_state *http_begin(struct http *h, struct MHD_Connection *connection,
					 const char *path, const char *method, const char *version)
{
	struct exchange_state *x = own_zeroed(1, sizeof(*x));

	x->http = h;
	x->connection = connection;
	x->watch.fd = -1;
	x->file = -1;
	x->request.server = h->options.server;
	x->request.state = x;
	x->request.path = own_strdup(path);
	x->request.began_us = monotonic_us();
	x->turn = (struct hub_timer){.ring = http_run_in_turn, .context = x};
	http_list(h, x);
	http_look_at_headers(x, path, method, version);
	http_arrival_begin_body(h, connection, http_wants_body(x));
	if (x->stage == STAGE_BODY)
		x->body_max = x->request.route->body_max;
	return x;
}

/* MHD_NO: the client sends too much of a refused body. */
static enum MHD_Result http_swallow(struct exchange_state *x, size_t length)
{
	x->swallowed += length;
	return x->swallowed > http_swallow_max(x) ? MHD_NO : MHD_YES;
}

/* Returns false if the body is refused. */
static bool http_keep_piece(struct exchange_state *x, const char *bytes, size_t length)
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

static enum MHD_Result http_take_body(struct exchange_state *x, const char *bytes, size_t length)
{
	http_arrival_move(x->connection, length);
	x->taken += length;
	x->is_too_large = x->taken > x->body_max;
	if (x->stage != STAGE_BODY || x->is_too_large || x->is_refused)
		return http_swallow(x, length);
	x->is_refused = !http_keep_piece(x, bytes, length);
	if (x->is_refused)
		http_arrival_begin_body(x->http, x->connection, false);
	return MHD_YES;
}

/* The route parses the body now; what it keeps of it stays charged. */
static void http_run(struct exchange_state *x)
{
	x->request.route->run(&x->request);
	buf_fini(&x->request.body);
}

/*
 * One thread parses all bodies. After a long one its key pauses for three times as long as that
 * took, so the thread is free for other keys most of the time.
 */
static void http_run_in_turn(void *context)
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
	http_run(x);
	payer->turn_us = monotonic_us();
	payer->turn_us += PAUSES * clock_earlier(payer->turn_us - now, LONGEST_US);
}

static bool http_takes_turns(const struct exchange_state *x)
{
	return x->request.payer && x->request.body.length > LONG_BODY &&
	       !x->http->options.flights->has_one_holder;
}

static void http_start_work(struct exchange_state *x)
{
	x->stage = STAGE_WORK;
	if (x->is_too_large && x->request.abandon)
		x->request.abandon(&x->request);
	if (x->is_too_large)
		request_refuse(&x->request, MHD_HTTP_CONTENT_TOO_LARGE,
			       "the body has more than %zu bytes", x->request.route->body_max);
	else if (x->is_turned_away)
		x->http->options.site->turn_away(&x->request);
	else if (http_takes_turns(x))
		http_run_in_turn(x);
	else
		http_run(x);
}

static enum MHD_Result http_go_on(struct exchange_state *x)
{
	http_arrival_end(x->http, x->connection);
	hub_unwatch(x->http->hub, &x->watch);
	if (x->stage == STAGE_BODY)
		http_start_work(x);
	if (x->stage == STAGE_LEFT)
		return MHD_NO;
	if (x->stage != STAGE_WORK)
		return x->is_queued ? MHD_YES : http_send(x);
	http_suspend(x);
	return MHD_YES;
}

enum MHD_Result http_handle(void *context, struct MHD_Connection *connection, const char *path,
			    const char *method, const char *version, const char *bytes,
			    size_t *length, void **state)
{
	struct exchange_state *x = *state;

	if (!x) {
		x = http_begin(context, connection, path, method, version);
		*state = x;
		if (x->stage == STAGE_BODY || http_swallows(x)) {
			http_await_body(x);
			return MHD_YES;
		}
		http_arrival_end(x->http, connection);
		return http_send(x);
	}
	if (*length) {
		size_t came = *length;

		*length = 0;
		return http_take_body(x, bytes, came);
	}
	return http_go_on(x);
}

void http_completed(void *context, struct MHD_Connection *connection, void **state,
		    enum MHD_RequestTerminationCode code)
{
	struct exchange_state *x = *state;

	if (!x)
		return;
	http_arrival_begin(context, connection);
	x->is_complete = code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
	x->stage = STAGE_LEFT;
	http_unlist(x);
	hub_unwatch(x->http->hub, &x->watch);
	hub_silence(x->http->hub, &x->turn);
	if (x->request.abandon)
		x->request.abandon(&x->request);
	http_transit_end(x);
	if (x->http->options.site->forget)
		x->http->options.site->forget(&x->request);
	for (unsigned i = 0; i < HTTP_SEGMENTS; i++)
		free(x->request.segments[i]);
	for (unsigned i = 0; i < x->header_count; i++)
		free(x->headers[i].value);
	buf_fini(&x->request.body);
	buf_fini(&x->body);
	own_close(&x->file);
	free(x->request.path);
	free(x);
	*state = NULL;
}
