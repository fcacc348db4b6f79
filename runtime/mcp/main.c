/*
 * glovebox-mcp - `glovebox mcp`: sandboxes for clients that speak the Model Context Protocol, over
 * standard input and output.
 *
 * One process, one thread, one connection: lines, requests and sessions share one hub. The process
 * ends at the end of standard input, or by a signal, and its sessions end with it. Standard output
 * carries only messages: print() by mistake goes to standard error.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/privileges.h"
#include "base/process.h"
#include "base/say.h"
#include "client/registry.h"
#include "flags/setting_words.h"
#include "image/image_packages.h"
#include "image/image_reference.h"
#include "loop/clock.h"
#include "mcp/mcp_backend.h"
#include "mcp/mcp_call.h"
#include "mcp/mcp_methods.h"
#include "mcp/mcp_rpc.h"
#include "mcp/mcp_session.h"
#include "mcp/mcp_wire.h"
#include "session/session_spec.h"
#include "spec/setting_sources.h"

#define EXIT_OURS   125
#define LINE_MOST   (16u << 20)
#define RESULT_MOST (3u << 20) /* clients take 4 MiB, or more */
#define LAST_MS     500        /* to flush what is still to be written */
#define GOODBYE_MS  1000       /* for sessions to end */

struct mcp {
	struct supplier supplier;
	struct mcp_backend backend;
	struct places places;
	struct buf installed;
	struct mcp_connection connection;
	struct mcp_rpc rpc;
	struct mcp_wire wire;
	struct mcp_sink sink;
	struct hub_watch signals;
	struct hub_timer late;
	int signal_fd;
	int out; /* owned; standard output, as it was */
	bool is_over;
	bool is_late;
};

static int main_fail(const struct err *e)
{
	say_error(e);
	return EXIT_OURS;
}

/* -- what was asked for ---------------------------------------------------------------------- */

/* Refuse at start the terms that no session can have. */
static int main_check_terms(const struct mcp_backend *p, struct err *e)
{
	struct sandbox_spec trial;
	int bad;

	spec_init(&trial);
	spec_copy_limits(&trial, &p->terms);
	places_add_mounts(p->places, false, &trial);
	bad = session_spec_finish(&trial, p->image, e);
	spec_fini(&trial);
	return bad;
}

static int main_read_flags(struct mcp *m, int argc, char **argv, struct err *e)
{
	struct settings settings = mcp_all_settings(&m->backend.terms, &m->backend.options);
	int at;

	spec_init(&m->backend.terms);
	setting_defaults(&settings.tables[0], NULL);
	if (settings_from_environment(&settings, "GLOVEBOX_MCP_", e) ||
	    setting_words(&settings, argc - 1, argv + 1, &at, e))
		return -1;
	if (argc - 1 > at)
		return err_input(e, "mcp takes flags only: \"%.100s\" is none", argv[at + 1]);
	return image_reference(m->backend.options.image, &m->backend.image, e);
}

static int main_open_places(struct mcp *m, struct err *e)
{
	const struct mcp_options *o = &m->backend.options;
	const struct places_options options = {
		.workspace = o->workspace, .output = o->output.text, .needs_workspace = true};

	m->backend.places = &m->places;
	return places_open(&options, &m->places, e) || main_check_terms(&m->backend, e) ? -1 : 0;
}

/* -- what comes and goes --------------------------------------------------------------------- */

static void main_send(void *context, const struct buf *message)
{
	mcp_wire_send(&((struct mcp *)context)->wire, message);
}

static void main_take_line(void *context, const char *line, size_t length)
{
	struct mcp *m = context;
	size_t space = 0;

	while (space < length && (line[space] == ' ' || line[space] == '\t' || line[space] == '\r'))
		space++;
	if (space < length)
		mcp_rpc_take(&m->rpc, &m->sink, line, length);
}

static void main_refuse_line(void *context)
{
	mcp_rpc_complain(&((struct mcp *)context)->sink, MCP_INVALID_REQUEST,
			 "A message must not be larger than 16 MiB");
}

static void main_end(void *context)
{
	((struct mcp *)context)->is_over = true;
}

static void main_be_late(void *context)
{
	((struct mcp *)context)->is_late = true;
}

static void main_take_signal(void *context, uint32_t events)
{
	struct mcp *m = context;
	struct signalfd_siginfo info;

	(void)events;
	if (read(m->signal_fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo != SIGWINCH)
		m->is_over = true;
}

/* -- its life -------------------------------------------------------------------------------- */

/* Take descriptor 1 for the messages, and point it to standard error from now on. */
static int main_keep_output(struct mcp *m, struct err *e)
{
	m->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (m->out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return err_sys(e, "keep standard output");
	return 0;
}

static void main_name_packages(struct mcp *m)
{
	auto_list struct list packages = {0};

	image_packages_of(m->backend.image, &packages, &m->installed);
	m->backend.installed = buf_string(&m->installed);
}

static int main_open(struct mcp *m, struct err *e)
{
	m->backend.hub = hub_open(e);
	/* The supervisor's watchdog is a fork of this process: open before it grows. */
	if (!m->backend.hub || mcp_backend_open(&m->backend, e))
		return -1;
	main_name_packages(m);
	mcp_connection_open(&m->connection, &m->backend, NULL, true);
	m->rpc = (struct mcp_rpc){
		.methods = mcp_methods, .owner = &m->connection, .result_most = RESULT_MOST};
	m->sink = (struct mcp_sink){.send = main_send, .context = m};
	m->wire.lines = (struct mcp_lines){.most = LINE_MOST,
					   .take = main_take_line,
					   .too_long = main_refuse_line,
					   .context = m};
	m->wire.ended = main_end;
	m->wire.context = m;
	m->late = (struct hub_timer){.ring = main_be_late, .context = m};
	m->signals = (struct hub_watch){.ready = main_take_signal, .context = m, .fd = -1};
	return hub_watch(m->backend.hub, &m->signals, m->signal_fd, EPOLLIN, e) ||
			       mcp_wire_open(&m->wire, m->backend.hub, STDIN_FILENO, m->out, e)
		       ? -1
		       : 0;
}

/* Shutdown: flush the answers to a client that still reads; main_close() ends running calls. */
static void main_say_the_rest(struct mcp *m)
{
	hub_ring(m->backend.hub, &m->late, monotonic_us() + LAST_MS * 1000);
	while (!mcp_wire_is_idle(&m->wire) && !m->is_late)
		hub_turn(m->backend.hub);
	hub_silence(m->backend.hub, &m->late);
}

static void main_serve(struct mcp *m)
{
	auto_registration place = registry_enter_face("mcp", m->backend.image, "");

	supplier_list(m->backend.supplier, &place);
	while (!m->is_over)
		hub_turn(m->backend.hub);
	main_say_the_rest(m);
	supplier_list(m->backend.supplier, NULL);
}

static void main_close(struct mcp *m)
{
	while (!LIST_EMPTY(&m->rpc.requests))
		mcp_call_abandon(LIST_FIRST(&m->rpc.requests));
	if (m->backend.hub)
		hub_unwatch(m->backend.hub, &m->signals);
	mcp_wire_close(&m->wire);
	mcp_connection_close(&m->connection, GOODBYE_MS);
	hub_close(m->backend.hub);
	mcp_backend_close(&m->backend, GOODBYE_MS);
	places_close(&m->places);
	buf_fini(&m->installed);
	own_close(&m->signal_fd);
	own_close(&m->out);
}

int main(int argc, char **argv)
{
	struct mcp m = {.signal_fd = -1, .out = -1, .signals.fd = -1, .places = places_none()};
	struct err e;
	int bad;

	io_fill_standard();
	m.supplier = (struct supplier){.pipe = -1, .said = -1};
	m.backend.supplier = &m.supplier;
	m.backend.life = (struct session_terms){.idle_ms = MCP_LEASE_MS, .ttl_ms = SPEC_UNLIMITED};
	bad = privileges_keep("mcp", "arguments", &e) || main_read_flags(&m, argc, argv, &e) ||
	      main_open_places(&m, &e) || main_keep_output(&m, &e) ||
	      process_signals(&m.signal_fd, &e) || main_open(&m, &e);
	if (!bad && isatty(STDIN_FILENO))
		say_warning(
			"mcp speaks JSON with a client that starts it (docs/mcp.md); Ctrl-D "
			"ends it");
	if (!bad)
		main_serve(&m);
	main_close(&m);
	return bad ? main_fail(&e) : 0;
}
