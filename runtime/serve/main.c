/*
 * glovebox-serve - `glovebox serve`: sandboxes for programs that speak HTTP.
 *
 * A program of its own, since it alone links GnuTLS. One process, one thread: requests, runs
 * and sessions share one hub. Cells come from a warm supervisor, a separate process.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/privileges.h"
#include "base/process.h"
#include "base/say.h"
#include "box/box.h"
#include "client/registry.h"
#include "engine/engine.h"
#include "fs/state_dir.h"
#include "fs/trusted_path.h"
#include "image/image_packages.h"
#include "librechat/dialogue.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "request/server.h"
#include "serve/addresses.h"
#include "serve/become.h"
#include "serve/flags.h"
#include "serve/manual.h"
#include "serve/mcp_http.h"
#include "serve/notify.h"
#include "serve/removal.h"
#include "serve/rules.h"
#include "serve/supply.h"
#include "tenant/keys_command.h"
#include "web/listen.h"
#include "web/tls.h"

#define EXIT_OURS     125
#define FILES_MOST    100000
#define FILE_BLOCK    4096      /* smallest charge of a file */
#define SWALLOW_BYTES 100000000 /* of an upload that is too large, read for its refusal */
#define SWEEP_US      60000000
#define SWEEP_SOON_US 100000

struct serve {
	struct server server;
	int signal_fd;
	struct addresses addresses;
	struct hub_watch signals;
	struct hub_timer drained;
	struct hub_timer sweep;
	struct supply supply;
	struct tls *tls; /* owned until http_open() */
	char *notify;    /* owned; notification socket of systemd; NULL */
	int ended_by;    /* the signal that ends the server */
	bool is_over;
};

static int main_fail(const struct err *e)
{
	say_error(e);
	return EXIT_OURS;
}

/* -- its files ------------------------------------------------------------------------------- */

/* NULL with *e. */
static char *main_files_path(const struct serve_options *o, struct err *e)
{
	const char *given = o->files.text;
	auto_free char *here = given && *given != '/' ? getcwd(NULL, 0) : NULL;
	auto_free char *state = given ? NULL : state_dir(true, e);
	size_t length = given ? strlen(given) : 0;

	while (length > 1 && given[length - 1] == '/')
		length--;
	if (given)
		return own_printf("%s%s%.*s", here ? here : "", here ? "/" : "", (int)length,
				  given);
	return state ? own_printf("%s/serve", state) : NULL;
}

/* Half of the total, for a key whose ceiling names no number. */
static uint64_t main_share(const struct server *server, uint64_t named, uint64_t all)
{
	return named != SPEC_UNLIMITED || !server->options.keys ? named : (all + 1) / 2;
}

static struct file_store_most main_files_of(const void *context, const char *owner)
{
	const struct server *server = context;
	const struct key *key = keys_by_id(&server->keys, owner);
	const struct quota *quota = key ? &key->ceiling.quota : &server->ceiling.quota;

	return (struct file_store_most){
		main_share(server, quota->storage_bytes, server->options.files_max),
		main_share(server, quota->files, FILES_MOST)};
}

static int main_open_files(struct server *server, struct err *e)
{
	const struct serve_options *o = &server->options;
	const struct file_store_limits limits = {.file_bytes = o->file_max_mb << 20,
						 .total_bytes = o->files_max,
						 .total_files = FILES_MOST,
						 .ttl_s = (unsigned)o->file_ttl_s,
						 .least_bytes = FILE_BLOCK,
						 .owner_most = main_files_of,
						 .context = server};
	auto_free char *path = main_files_path(o, e);
	char *slash = path ? strrchr(path, '/') : NULL;
	auto_fd int parent = -1;

	if (!path)
		return err_prefix(e, "--files");
	*slash = '\0';
	parent = trusted_path_make(written_path(*path ? path : "/"), LINKS_OF_CALLER, e);
	*slash = '/';
	return parent < 0 || file_store_open(path, &limits, &server->files, e) ||
			       sessions_open(&server->sessions, path, e)
		       ? err_prefix(e, "--files")
		       : 0;
}

/* Delete some expired files, and the rest soon. A file lives at most 1.5 times its ttl. */
static void main_sweep(void *context)
{
	struct serve *s = context;
	const uint64_t rest_us = clock_earlier(SWEEP_US, s->server.options.file_ttl_s * 500000);
	struct timespec now;
	unsigned swept;

	clock_gettime(CLOCK_REALTIME, &now);
	swept = file_store_sweep(s->server.files, (double)now.tv_sec);
	hub_ring(s->server.hub, &s->sweep,
		 monotonic_us() + (swept < FILE_STORE_SWEEP_MOST ? rest_us : SWEEP_SOON_US));
}

/* -- life of the server ---------------------------------------------------------------------- */

/* Stop accepting; give running requests --drain to finish. */
static void main_drain(struct serve *s)
{
	notify_say(s->notify, "STOPPING=1");
	if (s->server.is_draining) {
		s->is_over = true;
		return;
	}
	s->server.is_draining = true;
	http_quiesce(s->server.http);
	hub_ring(s->server.hub, &s->drained, monotonic_us() + s->server.options.drain_ms * 1000);
}

static void main_drained(void *context)
{
	((struct serve *)context)->is_over = true;
}

static void main_reload(struct serve *s)
{
	notify_say_reloading(s->notify);
	rules_reload(&s->server);
	notify_say(s->notify, "READY=1");
}

static void main_take_signal(void *context, uint32_t events)
{
	struct serve *s = context;
	struct signalfd_siginfo info;

	(void)events;
	if (read(s->signal_fd, &info, sizeof(info)) != sizeof(info) || info.ssi_signo == SIGWINCH)
		return;
	if (info.ssi_signo == SIGHUP) {
		main_reload(s);
		return;
	}
	s->ended_by = (int)info.ssi_signo;
	main_drain(s);
}

static bool main_is_idle(const struct server *server)
{
	return !server->admission.running && !server->admission.waiting &&
	       LIST_EMPTY(&server->sessions.works) && http_is_idle(server->http);
}

/* Leave half of the descriptors to runs: one needs some forty for a moment. */
static unsigned main_connections(const struct server *server)
{
	return (unsigned)clock_earlier(server->options.connections_max, fd_raise_limit() / 2);
}

/* An attacker who takes over the parser has all rights of this process: require --as for root. */
static int main_may_run(const struct server *server, struct err *e)
{
	if (geteuid() != 0 || server->options.as)
		return 0;
	return err_input(e,
			 "what strangers send is not parsed as root: name the ordinary user that "
			 "serves, --as USER, or say --as root");
}

static int main_open_http(struct serve *s, struct err *e)
{
	struct server *server = &s->server;
	const unsigned connections = main_connections(server);
	struct http_options options = {
		.listener_count = s->addresses.count,
		.tls = s->tls,
		.connections_max = connections,
		.flights = &server->flights,
		.swallow_max = (server->options.file_max_mb << 20) + SWALLOW_BYTES,
		.headers_ms = server->options.headers_ms,
		.still_ms = server->options.still_ms,
		.server = server,
	};

	server->flights.most[FLIGHT_CONNECTIONS] = connections;
	server->flights.most[FLIGHT_MEMORY] = server->options.flight_max;
	server->flights.most[FLIGHT_FILES] = server->options.files_max;
	server->flights.has_one_holder = !server->options.keys;
	memcpy(options.listeners, s->addresses.all, sizeof(options.listeners));
	s->addresses.count = 0;
	s->tls = NULL;
	return http_open(server->hub, &options, &server->http, e);
}

static int main_open(struct serve *s, struct err *e)
{
	struct server *server = &s->server;
	const struct supplier_terms terms = {.image = server->image,
					     .preload = server->options.preload,
					     .trust_image = server->options.trust_image,
					     .pool = (unsigned)server->options.pool};

	/* The supervisor's watchdog is a fork of this process: start it while that is small. */
	if (supplier_open(&terms, &server->supplier, e))
		return -1;
	image_packages_of(server->image, &server->packages, &server->installed);
	server->hub = hub_open(e);
	if (!server->hub)
		return -1;
	admission_init(&server->admission, server->hub, (unsigned)server->options.runs_max,
		       server->options.queue_ms);
	admission_init(&server->upkeep, server->hub, (unsigned)server->options.runs_max,
		       server->options.queue_ms);
	s->signals = (struct hub_watch){.ready = main_take_signal, .context = s, .fd = -1};
	s->drained = (struct hub_timer){.ring = main_drained, .context = s};
	s->sweep = (struct hub_timer){.ring = main_sweep, .context = s};
	if (supply_keep(&s->supply, server->hub, &server->supplier, e) ||
	    main_open_files(server, e) ||
	    (server->options.audit.text &&
	     audit_open(server->options.audit, server->image, &server->audit, e)))
		return -1;
	settler_init(&server->settler, server->hub, server->files);
	main_sweep(s);
	return hub_watch(server->hub, &s->signals, s->signal_fd, EPOLLIN, e) || main_open_http(s, e)
		       ? -1
		       : 0;
}

static void main_close(struct serve *s)
{
	struct server *server = &s->server;

	http_close(server->http);
	box_forget_all(server);
	dialogue_end_all(server);
	mcp_http_close(server);
	removal_close(server);
	tls_release(s->tls);
	/* Drain the hub: these have been killed, or will be at once. */
	while (server->hub && (server->admission.running || !LIST_EMPTY(&server->sessions.works) ||
			       server->executions))
		hub_turn(server->hub);
	supply_leave(&s->supply);
	if (server->hub) {
		hub_silence(server->hub, &s->drained);
		hub_silence(server->hub, &s->sweep);
		hub_unwatch(server->hub, &s->signals);
	}
	settler_fini(&server->settler);
	hub_close(server->hub);
	if (server->files)
		file_store_close(server->files);
	audit_close(server->audit);
	supplier_close(&server->supplier);
	spec_fini(&server->terms);
	ceiling_fini(&server->ceiling);
	ceiling_fini(&server->shipped);
	keys_fini(&server->keys);
	if (server->local)
		key_free(server->local);
	origin_rules_fini(&server->origin);
	list_fini(&server->options.faces);
	list_fini(&server->faces);
	list_fini(&server->options.hosts);
	list_fini(&server->options.origins);
	own_free(&server->image);
	list_fini(&server->packages);
	buf_fini(&server->installed);
	own_close(&s->signal_fd);
	addresses_close(&s->addresses);
	own_free(&s->notify);
}

static void main_serve(struct serve *s)
{
	while (!s->is_over && !(s->server.is_draining && main_is_idle(&s->server)))
		hub_turn(s->server.hub);
}

/* -- the other commands ---------------------------------------------------------------------- */

static bool main_generates(int argc, char **argv)
{
	auto_buf struct buf text = {0};

	if (argc != 3 || strcmp(argv[1], "generate") != 0 || !manual_generate(argv[2], &text))
		return false;
	fputs(buf_string(&text), stdout);
	return true;
}

int main(int argc, char **argv)
{
	struct serve s = {.signal_fd = -1, .signals.fd = -1};
	struct err e;
	int bad;

	io_fill_standard();
	s.server.supplier = (struct supplier){.pipe = -1, .said = -1};
	if (argc > 1 && !strcmp(argv[1], "key"))
		return privileges_keep("serve key", "arguments", &e)
			       ? main_fail(&e)
			       : keys_command(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "engine"))
		return engine_main(argc - 1, argv + 1);
	if (main_generates(argc, argv))
		return io_flush_output() ? EXIT_OURS : 0;
	s.notify = notify_take();
	bad = listen_keep(&e) || privileges_keep("serve", "arguments", &e) ||
	      flags_read(&s.server, argc, argv, &e) || main_may_run(&s.server, &e) ||
	      become_user(s.server.options.as, &e) || rules_read(&s.server, &s.tls, &e) ||
	      process_signals(&s.signal_fd, &e) ||
	      addresses_open(&s.server, s.tls, &s.addresses, &e) || main_open(&s, &e);
	if (!bad) {
		auto_free char *said = addresses_say(&s.addresses, &s.server);
		auto_registration place = registry_enter_face("serve", s.server.image, said);

		supplier_list(&s.server.supplier, &place);
		supply_say_ids(&s.server.log);
		notify_say(s.notify, "READY=1");
		main_serve(&s);
		supplier_list(&s.server.supplier, NULL);
	}
	main_close(&s);
	if (bad)
		log_error(&s.server.log, &e);
	return bad ? EXIT_OURS : 0;
}
