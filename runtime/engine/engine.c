/*
 * engine - the life of the process that serves the Engine's socket.
 */
#include "engine/engine.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"
#include "base/say.h"
#include "client/registry.h"
#include "engine/paths.h"
#include "engine/reply.h"
#include "engine/server.h"
#include "engine/streaming.h"
#include "engine/waits.h"
#include "loop/fd.h"
#include "web/listen.h"

#define EXIT_OURS  125
#define HEADERS_MS 60000
#define STILL_MS   3600000 /* a client may look at what it attached to for that long */
#define SWALLOW    100000000

struct engine {
	struct server server;
	struct hub_watch signals;
	int signal_fd;
	bool is_over;
};

static void engine_take_signal(void *context, uint32_t events)
{
	struct engine *engine = context;
	struct signalfd_siginfo info;

	(void)events;
	if (read(engine->signal_fd, &info, sizeof(info)) == sizeof(info) &&
	    info.ssi_signo != SIGWINCH && info.ssi_signo != SIGHUP)
		engine->is_over = true;
}

/* Only the user whose socket it is may ask: no key is needed, and none exists. */
static int engine_listen(const char *where, char **said, struct err *e)
{
	enum origin_listen kind;
	auto_fd int fd = listen_open(listen_is_passed() ? NULL : where, false, &kind, said, e);

	if (fd < 0)
		return err_prefix(e, "--listen %.200s", where);
	if (kind != LISTEN_UNIX)
		return err_input(e,
				 "--listen %.200s: the Engine listens on a socket of the file "
				 "system: unix:PATH",
				 where);
	return take_fd(&fd);
}

static int engine_open(struct engine *engine, int listen_fd, struct err *e)
{
	struct server *server = &engine->server;
	const struct http_options options = {.listeners = {{listen_fd, LISTEN_UNIX, &server->site}},
					     .listener_count = 1,
					     .connections_max = (unsigned)(fd_raise_limit() / 8),
					     .swallow_max = SWALLOW,
					     .headers_ms = HEADERS_MS,
					     .still_ms = STILL_MS,
					     .server = server};

	server->routes = paths_routes();
	server->site = paths_site;
	server->site.routes = server->routes;
	server->hub = hub_open(e);
	if (!server->hub)
		return close(listen_fd), -1;
	engine->signals =
		(struct hub_watch){.ready = engine_take_signal, .context = engine, .fd = -1};
	if (waits_open(server, e) ||
	    hub_watch(server->hub, &engine->signals, engine->signal_fd, EPOLLIN, e))
		return close(listen_fd), -1;
	return http_open(server->hub, &options, &server->http, e);
}

static void engine_close(struct engine *engine)
{
	struct server *server = &engine->server;

	http_close(server->http);
	reply_end_all(server);
	streaming_end_all(server);
	if (server->hub) {
		waits_close(server);
		hub_unwatch(server->hub, &engine->signals);
	}
	hub_close(server->hub);
	free(server->routes);
	list_fini(&server->network);
	own_close(&engine->signal_fd);
}

int engine_main(int argc, char **argv)
{
	struct engine engine = {.signal_fd = -1, .signals.fd = -1};
	auto_free char *said = NULL;
	struct err e;
	int listen_fd = -1;
	int bad;

	unsetenv("GLOVEBOX_TELL");
	bad = argc < 2 ? err_input(&e, "glovebox engine starts this program") : 0;
	for (int i = 2; i < argc; i++)
		list_add(&engine.server.network, argv[i]);
	bad = bad || listen_keep(&e) || process_signals(&engine.signal_fd, &e) ||
	      (listen_fd = engine_listen(argv[1], &said, &e)) < 0 ||
	      engine_open(&engine, listen_fd, &e);
	if (!bad) {
		auto_registration place = registry_enter_face("engine", "", said);

		fprintf(stderr, "serving on %s\n", said);
		while (!engine.is_over)
			hub_turn(engine.server.hub);
	}
	engine_close(&engine);
	if (bad)
		say_error(&e);
	return bad ? EXIT_OURS : 0;
}
