/*
 * http - requests of strangers, taken apart by libmicrohttpd.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/own.h"
#include "serve/http_arrival.h"
#include "serve/http_exchange.h"
#include "serve/http_headers.h"
#include "serve/http_path.h"
#include "serve/http_route.h"
#include "serve/tls.h"

#define HEADERS_MAX 16384   /* of one request, with its path; each connection has so much */
#define SWALLOW_MAX 1000000 /* bytes of a body that nobody wants, before the connection is cut */
/* Of a long one that was wanted at first: who sends a file that is too large sees why it is
 * refused. */
#define SWALLOW_LATE_MAX 100000000

/* -- receiving ------------------------------------------------------------------------------- */

/*
 * Whoever asked has closed in the middle of a body. The library misses that if it comes together
 * with bytes, because it waits for one more edge of epoll(7), which never comes: a resumed
 * connection is looked at anew.
 */
static void http_left_in_body(void *context, uint32_t events)
{
	struct exchange_state *x = context;
	char byte;

	(void)events;
	if (recv(x->watch.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
		return; /* what was sent before comes first */
	hub_unwatch(x->http->hub, &x->watch);
	MHD_suspend_connection(x->connection);
	MHD_resume_connection(x->connection);
	hub_ring(x->http->hub, &x->http->timer, 0);
}

static void http_await_body(struct exchange_state *x)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct err ignored; /* it is missed for a minute, then */

	x->watch = (struct hub_watch){.ready = http_left_in_body, .context = x, .fd = -1};
	if (info)
		(void)hub_watch(x->http->hub, &x->watch, info->connect_fd, EPOLLRDHUP, &ignored);
}

/* Say which methods a path has; a path that has none is not there. */
static void http_refuse_method(struct exchange_state *x, const char *path, const char *method)
{
	auto_buf struct buf allow = {0};

	http_route_methods(x->http->options.routes, path, &allow);
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
	struct request *r = &x->request;
	const char *length = request_header(r, "Content-Length");
	const char *problem;

	r->method = method;
	x->http->options.begin(r);
	problem = http_headers_problem(r, version);
	r->route = http_route_find(x->http->options.routes, path, method);
	if (problem) {
		x->is_unclear = true;
		request_set_header(r, "Connection", "close");
		request_refuse(r, MHD_HTTP_BAD_REQUEST, "%s", problem);
	} else if (!x->http->options.admit(r)) {
		request_set_header(r, "Connection", "close");
	} else if (!r->route) {
		http_refuse_method(x, path, method);
	} else if (http_path_segments(r->route->path, path, r->segments)) {
		request_refuse(r, MHD_HTTP_NOT_FOUND, "Not Found");
	} else if (length && strtoull(length, NULL, 10) > r->route->body_max) {
		request_set_header(r, "Connection", "close");
		request_refuse(r, MHD_HTTP_CONTENT_TOO_LARGE, "the body has more than %zu bytes",
			       r->route->body_max);
	}
}

/*
 * Whether a refusal waits for the end of the body. Who sends it does not see a reply on a
 * connection that is closed with bytes unread, and the library closes one that is answered before
 * its time. With "Expect" nothing of the body has been sent.
 */
static bool http_swallows(const struct exchange_state *x)
{
	const struct request *r = &x->request;
	const char *length = request_header(r, "Content-Length");
	bool has_body =
		length ? strcmp(length, "0") != 0 : request_header(r, "Transfer-Encoding") != NULL;

	if (x->is_unclear || (has_body && request_header(r, "Expect")))
		return false;
	return !length || strtoull(length, NULL, 10) <= SWALLOW_MAX;
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
	http_list(h, x);
	http_look_at_headers(x, path, method, version);
	http_arrival_begin_body(h, connection, x->stage == STAGE_BODY);
	if (x->stage == STAGE_BODY) {
		x->body_max = x->request.route->body_max;
		http_await_body(x);
	}
	return x;
}

/* MHD_NO: there is no end to it. */
static enum MHD_Result http_swallow(struct exchange_state *x, size_t length)
{
	x->swallowed += length;
	return x->swallowed > (x->is_refused ? SWALLOW_LATE_MAX : SWALLOW_MAX) ? MHD_NO : MHD_YES;
}

static enum MHD_Result http_take_body(struct exchange_state *x, const char *bytes, size_t length)
{
	struct request *r = &x->request;

	http_arrival_take(x->connection, length);
	x->taken += length;
	x->is_too_large = x->taken > x->body_max;
	if (x->stage != STAGE_BODY || x->is_too_large || x->is_refused)
		return http_swallow(x, length);
	if (r->route->take)
		x->is_refused = !r->route->take(r, bytes, length);
	else
		buf_add(&r->body, bytes, length);
	return MHD_YES;
}

static void http_start_work(struct exchange_state *x)
{
	x->stage = STAGE_WORK;
	hub_unwatch(x->http->hub, &x->watch);
	if (x->is_too_large && x->request.abandon)
		x->request.abandon(&x->request);
	if (x->is_too_large)
		request_refuse(&x->request, MHD_HTTP_CONTENT_TOO_LARGE,
			       "the body has more than %zu bytes", x->request.route->body_max);
	else
		x->request.route->run(&x->request);
}

static enum MHD_Result http_go_on(struct exchange_state *x)
{
	http_arrival_end(x->http, x->connection);
	if (x->stage == STAGE_BODY)
		http_start_work(x);
	if (x->stage == STAGE_LEFT)
		return MHD_NO;
	if (x->stage != STAGE_WORK)
		return x->is_queued ? MHD_YES : http_send(x);
	http_suspend(x);
	return MHD_YES;
}

static enum MHD_Result http_handle(void *context, struct MHD_Connection *connection,
				   const char *path, const char *method, const char *version,
				   const char *bytes, size_t *length, void **state)
{
	struct exchange_state *x = *state;

	if (!x) {
		x = http_begin(context, connection, path, method, version);
		*state = x;
		if (x->stage == STAGE_BODY || http_swallows(x))
			return MHD_YES;
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

static void http_completed(void *context, struct MHD_Connection *connection, void **state,
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
	if (x->request.abandon)
		x->request.abandon(&x->request);
	x->http->options.forget(&x->request);
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

/* Paths stay as they were sent: a decoded slash must not become a separator. */
static size_t http_keep_path(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context;
	(void)connection;
	return strlen(text);
}

/* -- the server ------------------------------------------------------------------------------ */

static unsigned http_count(const struct http *h)
{
	return MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections;
}

/*
 * At its limit, or without a descriptor, the library stops to listen, and looks at the beginning of
 * a run whether it may again. Nothing else would begin that run.
 */
static void http_run(struct http *h)
{
	MHD_UNSIGNED_LONG_LONG ms;
	unsigned before;

	do {
		before = http_count(h);
		MHD_run(h->daemon);
	} while (http_count(h) < before);
	if (MHD_get_timeout(h->daemon, &ms) == MHD_YES)
		hub_ring(h->hub, &h->timer, monotonic_us() + ms * 1000);
	else
		hub_silence(h->hub, &h->timer);
}

static void http_ready(void *context, uint32_t events)
{
	(void)events;
	http_run(context);
}

static void http_ring(void *context)
{
	http_run(context);
}

/* How strict it is where nothing depends on it: the library's word for it has changed. */
#if MHD_VERSION >= 0x00097600
#define STRICT MHD_OPTION_CLIENT_DISCIPLINE_LVL
#else
#define STRICT MHD_OPTION_STRICT_FOR_CLIENT
#endif

/* The library takes texts as what may be changed, and changes none. */
static void *http_text(const char *text)
{
	return (void *)(uintptr_t)text;
}

static struct MHD_Daemon *http_start(struct http *h)
{
	const struct http_options *o = &h->options;
	const struct MHD_OptionItem secure[] = {
		{MHD_OPTION_HTTPS_MEM_CERT,   0,
		 o->tls ? http_text(tls_certificate_text(o->tls)) : NULL                        },
		{MHD_OPTION_HTTPS_MEM_KEY,    0, o->tls ? http_text(tls_key_text(o->tls)) : NULL},
		{MHD_OPTION_HTTPS_PRIORITIES, 0, http_text(TLS_PRIORITIES)                      },
		{MHD_OPTION_END,              0, NULL					   },
	};

	return MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (o->tls ? MHD_USE_TLS : 0), 0, NULL,
		NULL, http_handle, h, MHD_OPTION_LISTEN_SOCKET, o->listen_fd,
		MHD_OPTION_CONNECTION_LIMIT, o->connections_max, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)((o->still_ms + 999) / 1000), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)HEADERS_MAX, MHD_OPTION_NOTIFY_CONNECTION, http_arrival_notify, h,
		MHD_OPTION_NOTIFY_COMPLETED, http_completed, h, MHD_OPTION_UNESCAPE_CALLBACK,
		http_keep_path, h, STRICT, 1, MHD_OPTION_ARRAY, o->tls ? secure : secure + 3,
		MHD_OPTION_END);
}

int http_open(struct hub *hub, const struct http_options *options, struct http **out, struct err *e)
{
	struct http *h = own_zeroed(1, sizeof(*h));
	const union MHD_DaemonInfo *info;

	h->hub = hub;
	h->options = *options;
	h->watch = (struct hub_watch){.ready = http_ready, .context = h, .fd = -1};
	h->timer = (struct hub_timer){.ring = http_ring, .context = h};
	h->arrival_timer = (struct hub_timer){.ring = http_arrival_ring, .context = h};
	h->last_arrival = &h->first_arrival;
	h->daemon = http_start(h);
	info = h->daemon ? MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (info && !hub_watch(hub, &h->watch, info->epoll_fd, EPOLLIN, e)) {
		*out = h;
		return 0;
	}
	if (!info)
		err_set(e, ERR_SYSTEM, "libmicrohttpd does not start");
	http_close(h);
	return -1;
}

void http_set_tls(struct http *h, struct tls *tls)
{
	tls_release(h->options.tls);
	h->options.tls = tls;
}

void http_quiesce(struct http *h)
{
	int fd = MHD_quiesce_daemon(h->daemon);

	own_close(&fd);
}

bool http_is_idle(const struct http *h)
{
	return !h->first;
}

void http_close(struct http *h)
{
	if (!h)
		return;
	/* The library does not stop while it must not look at a connection. */
	for (struct exchange_state *x = h->first; x; x = x->next) {
		x->stage = STAGE_LEFT;
		http_resume(x);
	}
	if (h->daemon) {
		MHD_run(h->daemon);
		MHD_stop_daemon(h->daemon);
	}
	hub_unwatch(h->hub, &h->watch);
	hub_silence(h->hub, &h->timer);
	hub_silence(h->hub, &h->arrival_timer);
	tls_release(h->options.tls);
	free(h);
}
