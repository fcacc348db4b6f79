/*
 * http_daemon - start libmicrohttpd's daemon, drive it from our hub, and stop it.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/epoll_set.h"
#include "base/fd.h"
#include "base/own.h"
#include "web/http_arrival.h"
#include "web/http_exchange.h"
#include "web/listen.h"
#include "web/tls.h"

#define QUEUE_MAX     4096   /* connections that shutdown still accepts from the queue */
#define HEADERS_MAX   16384  /* memory of a connection; bounds path and headers of a request */
#define LAST_US       200000 /* to flush the last replies */
#define RUNS_PER_LOOK 16

/* -- running --------------------------------------------------------------------------------- */

static unsigned http_daemon_count(const struct http *h)
{
	return MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections;
}

/* True as well for a refused body that is read to its end. */
static bool http_daemon_takes_body(const struct exchange_state *x)
{
	return x->stage == STAGE_BODY ||
	       (x->stage == STAGE_READY && !x->is_stream && !x->is_queued);
}

/* The library wants to run again at once: look now and then whether a body makes it do so for ever.
 */
static void http_daemon_look(struct http *h)
{
	if (++h->runs_at_once % RUNS_PER_LOOK)
		return;
	for (struct exchange_state *x = h->first; x; x = x->next) {
		if (http_daemon_takes_body(x))
			(void)http_arrival_is_stuck(x->connection);
	}
}

/*
 * At its limit, or out of descriptors, the library stops listening, and checks only at the start of
 * a run whether it may listen again. So run it again after connections have ended.
 */
static void http_daemon_run(struct http *h)
{
	MHD_UNSIGNED_LONG_LONG ms;
	uint64_t next_us;
	unsigned before;

	do {
		before = http_daemon_count(h);
		MHD_run(h->daemon);
	} while (http_daemon_count(h) < before);
	next_us = MHD_get_timeout(h->daemon, &ms) == MHD_YES ? monotonic_us() + ms * 1000
							     : LOOP_NEVER;
	if (next_us != LOOP_NEVER && !ms)
		http_daemon_look(h);
	if (epoll_set_is_short(h->watch.fd))
		next_us = clock_earlier(next_us, monotonic_us() + EPOLL_SET_LOOK_US);
	if (next_us != LOOP_NEVER)
		hub_ring(h->hub, &h->timer, next_us);
	else
		hub_silence(h->hub, &h->timer);
}

static void http_daemon_ready(void *context, uint32_t events)
{
	(void)events;
	http_daemon_run(context);
}

static void http_daemon_ring(void *context)
{
	http_daemon_run(context);
}

/* -- start ----------------------------------------------------------------------------------- */

/* Keep paths undecoded: a decoded slash must not become a separator. */
static size_t http_daemon_keep_path(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context;
	(void)connection;
	return strlen(text);
}

/* The option for the library's strict mode, renamed by 0.9.76; http_headers.c checks by itself. */
#if MHD_VERSION >= 0x00097600
#define STRICT MHD_OPTION_CLIENT_DISCIPLINE_LVL
#else
#define STRICT MHD_OPTION_STRICT_FOR_CLIENT
#endif

/* The library wants non-const texts, but changes none. */
static void *http_daemon_text(const char *text)
{
	return (void *)(uintptr_t)text;
}

static struct MHD_Daemon *http_daemon_start(struct http *h)
{
	const struct http_options *o = &h->options;
	const struct MHD_OptionItem secure[] = {
		{MHD_OPTION_HTTPS_MEM_CERT,   0,
		 o->tls ? http_daemon_text(tls_certificate_text(o->tls)) : NULL  },
		{MHD_OPTION_HTTPS_MEM_KEY,    0,
		 o->tls ? http_daemon_text(tls_key_text(o->tls)) : NULL          },
		{MHD_OPTION_HTTPS_PRIORITIES, 0, http_daemon_text(TLS_PRIORITIES)},
		{MHD_OPTION_END,              0, NULL                            },
	};

	return MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (o->tls ? MHD_USE_TLS : 0), 0, NULL,
		NULL, http_handle, h, MHD_OPTION_LISTEN_SOCKET, o->listen_fd,
		MHD_OPTION_CONNECTION_LIMIT, o->connections_max, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)((o->still_ms + 999) / 1000), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)HEADERS_MAX, MHD_OPTION_NOTIFY_CONNECTION, http_arrival_notify, h,
		MHD_OPTION_NOTIFY_COMPLETED, http_completed, h, MHD_OPTION_UNESCAPE_CALLBACK,
		http_daemon_keep_path, h, STRICT, 1, MHD_OPTION_ARRAY, o->tls ? secure : secure + 3,
		MHD_OPTION_END);
}

int http_open(struct hub *hub, const struct http_options *options, struct http **out, struct err *e)
{
	struct http *h = own_zeroed(1, sizeof(*h));
	const union MHD_DaemonInfo *info;

	h->hub = hub;
	h->options = *options;
	h->watch = (struct hub_watch){.ready = http_daemon_ready, .context = h, .fd = -1};
	h->timer = (struct hub_timer){.ring = http_daemon_ring, .context = h};
	h->arrival_timer = (struct hub_timer){.ring = http_arrival_ring, .context = h};
	h->last_arrival = &h->first_arrival;
	h->daemon = http_daemon_start(h);
	info = h->daemon ? MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (info && !hub_watch(hub, &h->watch, info->epoll_fd, EPOLLIN, e)) {
		hub_ring(hub, &h->timer, 0); /* its epoll set may lack room already */
		*out = h;
		return 0;
	}
	if (!info)
		err_set(e, ERR_SYSTEM, "libmicrohttpd does not start");
	http_close(h);
	return -1;
}

/* -- shutdown -------------------------------------------------------------------------------- */

void http_set_tls(struct http *h, struct tls *tls)
{
	tls_release(h->options.tls);
	h->options.tls = tls;
}

/*
 * close(2) would reset the connections in the listen queue, whose clients have sent requests:
 * accept them. The library closes those that it cannot add.
 */
static void http_daemon_take_queue(struct http *h, int fd)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	int client;

	for (int left = QUEUE_MAX; left > 0; left--) {
		client = accept4(fd, (struct sockaddr *)&address, &length,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (client < 0)
			break;
		(void)MHD_add_connection(h->daemon, client, (struct sockaddr *)&address, length);
		length = sizeof(address);
	}
	hub_ring(h->hub, &h->timer, 0); /* the library's epoll descriptor does not report this */
}

void http_quiesce(struct http *h)
{
	int fd = MHD_quiesce_daemon(h->daemon);

	h->is_quiet = true;
	if (fd >= 0 && !listen_is_passed())
		http_daemon_take_queue(h, fd);
	own_close(&fd);
	http_arrival_quiesce(h);
}

bool http_is_idle(const struct http *h)
{
	return !h->first && !http_arrival_is_expected(h);
}

/*
 * Shutdown: abandon the work and refuse the request; a started stream gets its final event, or is
 * cut.
 */
static void http_daemon_dismiss(struct exchange_state *x)
{
	struct request *r = &x->request;

	if (r->abandon)
		r->abandon(r);
	r->abandon = NULL;
	if (!x->is_stream)
		x->http->options.site->dismiss(r);
	else if (r->end_stream)
		r->end_stream(r);
	else
		x->stage = STAGE_LEFT;
}

/* Answer a pending request with 503; drop it if its body is incomplete. */
static void http_daemon_leave(struct exchange_state *x)
{
	if (x->stage == STAGE_WORK || (x->stage == STAGE_READY && x->is_stream))
		http_daemon_dismiss(x);
	else if (x->stage == STAGE_BODY)
		x->stage = STAGE_LEFT;
	/* MHD_stop_daemon() aborts on a suspended connection. */
	http_resume(x);
}

/* Shut the connection down: http_left_in_body() makes the library notice and close it. */
static void http_daemon_cut_body(struct exchange_state *x)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (x->request.abandon)
		x->request.abandon(&x->request);
	x->request.abandon = NULL;
	x->stage = STAGE_LEFT;
	if (info)
		shutdown(info->connect_fd, SHUT_RDWR);
}

void http_dismiss(struct http *h, const struct key *key)
{
	for (struct exchange_state *x = h->first; x; x = x->next) {
		if (x->request.key != key)
			continue;
		if (http_daemon_takes_body(x))
			http_daemon_cut_body(x);
		else
			http_daemon_leave(x);
	}
}

/* Send the last replies to clients that read them. */
static void http_daemon_flush(struct http *h)
{
	const uint64_t until = monotonic_us() + LAST_US;
	MHD_UNSIGNED_LONG_LONG ms;

	MHD_run(h->daemon);
	while (h->first && monotonic_us() < until) {
		if (MHD_get_timeout(h->daemon, &ms) != MHD_YES || ms)
			(void)fd_await(h->watch.fd, POLLIN, until);
		MHD_run(h->daemon);
	}
}

void http_close(struct http *h)
{
	if (!h)
		return;
	for (struct exchange_state *x = h->first; x; x = x->next)
		http_daemon_leave(x);
	if (h->daemon) {
		http_daemon_flush(h);
		MHD_stop_daemon(h->daemon);
		epoll_set_forget(h->watch.fd); /* descriptors that the library left in its set */
	}
	hub_unwatch(h->hub, &h->watch);
	hub_silence(h->hub, &h->timer);
	hub_silence(h->hub, &h->arrival_timer);
	tls_release(h->options.tls);
	free(h);
}
