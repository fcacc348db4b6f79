/*
 * glovebox-egress - the network of one sandbox: the hosts of a list, and published ports.
 *
 * Theory of operation
 * ===================
 *
 *   monitor, or the client            glovebox-egress                     the sandbox
 *   that begins a session
 *        |  control (3): "begin" ------->|  has the sockets of published ports
 *        |<------ "ok", or why not ------|
 *        |  starts the sandbox, with the other end of (4)
 *        |                               |<-- (4): sockets of its namespace --| step "egress"
 *        |                               |  routes.h, then cage.h             |
 *        |                               |--- (4): one byte ----------------->| goes on: the
 * program |                               | |                               |<== connections,
 * questions =========| at those sockets |  control: "list", "publish"   |==> the network of the
 * host
 *
 * Every address is local to the sandbox, so a connection to any of them arrives at a listener of
 * this process, and getsockname(2) tells the address that the program wanted. A resolver inside
 * asks us, too, and gets an address of our own for a listed name (net.h). So a connection is for a
 * name, which this process resolves, judges and connects to outside.
 *
 * Each sandbox has a process of its own: two sandboxes never share memory. The process reads the
 * bytes of hostile code, so it holds nothing else (cage.h). If it dies, connections end and the
 * sandbox goes on without a network. It exits when the last copy of the control socket is closed;
 * for a session the supervisor keeps one.
 *
 * Runs: a process of its own, in the control group of the sandbox, with its starter's ids until it
 * is caged.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "egress/cage.h"
#include "egress/control.h"
#include "egress/egress.h"
#include "egress/flow.h"
#include "egress/listeners.h"
#include "egress/routes.h"
#include "egress/stub.h"
#include "loop/fd.h"
#include "net/message.h"

#define MAIN_CONTROL  3
#define MAIN_INSIDE   4
#define MAIN_TURN_MS  500 /* between two checks of deadlines */
#define MAIN_METER_MS 10  /* while a flow waits for the meter */

struct main_state {
	struct egress egress;
	struct listeners listeners;
	struct control control;
	struct stub *stub;
	bool is_waiting; /* a listener or a client of the resolver has a deadline */
	int inside;      /* owned; the sandbox closes its end once it has our byte */
};

/* -- the sockets of the sandbox --------------------------------------------------------- */

/* Number of descriptors that a message must carry. */
static unsigned main_expected(const struct egress_sockets *s)
{
	return 1 + (s->has_stub ? 2 : 0) + s->port_count + s->pool_count;
}

/*
 * A congestion control that does not pace. Every kernel has it, and by default allows every process
 * to choose it.
 */
static const char main_plain_pace[] = "reno";

/*
 * Do not pace the packets of a socket of the sandbox's namespace: send as fast as the program
 * reads. Accepted sockets inherit it from their listener. If it cannot be set, the connection is
 * slower.
 *
 * A host may use BBR for its path to the Internet (net.ipv4.tcp_congestion_control). BBR estimates
 * a path's bandwidth and paces packets with a timer for each burst; over loopback this costs more
 * than half as much again as sending them.
 */
static void main_do_not_pace(int fd)
{
	(void)setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, main_plain_pace,
			 sizeof(main_plain_pace) - 1);
}

static int main_take_list(struct main_state *m, const struct egress_sockets *sockets,
			  struct message_extra *extra, struct err *e)
{
	struct egress *g = &m->egress;
	unsigned at = 1;

	if (sockets->has_stub) {
		if (routes_make(take_fd(&extra->fds[0]), !sockets->is_v4, e) ||
		    resolver_open(&g->reactor, &g->resolver, e))
			return -1;
		if (stub_open(g, take_fd(&extra->fds[1]), take_fd(&extra->fds[2]), &m->stub, e))
			return -1;
		at = 3;
	}
	for (unsigned i = 0; i < sockets->port_count + sockets->pool_count; i++)
		main_do_not_pace(extra->fds[at + i]);
	for (unsigned i = 0; i < sockets->port_count; i++)
		listeners_add(&m->listeners, g, take_fd(&extra->fds[at++]), sockets->ports[i]);
	for (unsigned i = 0; i < sockets->pool_count; i++)
		g->pool[g->pool_count++] = take_fd(&extra->fds[at++]);
	return 0;
}

/* Pid 1, which is our own code, sent it before the program started. */
static int main_take_sockets(struct main_state *m, struct err *e)
{
	struct egress_sockets sockets;
	struct message_extra extra;
	ssize_t n = message_receive(m->inside, &sockets, sizeof(sockets), 0, &extra);
	int taken;

	if (n != (ssize_t)sizeof(sockets) || extra.lacks_fds ||
	    sockets.port_count > EGRESS_INSIDE_PORTS || sockets.pool_count > EGRESS_POOL ||
	    extra.fd_count != main_expected(&sockets)) {
		message_drop(&extra);
		return err_set(e, ERR_SYSTEM, "the sandbox sent no sockets");
	}
	taken = main_take_list(m, &sockets, &extra, e);
	message_drop(&extra);
	return taken;
}

/* -- life ------------------------------------------------------------------------------- */

static int main_let_go(struct main_state *m, struct err *e)
{
	if (write(m->inside, "", 1) != 1)
		return err_sys(e, "let the sandbox go on");
	own_close(&m->inside);
	return 0;
}

static int main_prepare(struct main_state *m, struct err *e)
{
	fd_raise_limit();
	if (reactor_open(&m->egress.reactor, e) || control_begin(&m->control) ||
	    host_addresses_read(&m->egress.net.host, e))
		return -1;
	return main_take_sockets(m, e) || cage_enter(e) || listeners_start(&m->listeners, e) ||
			       control_start(&m->control, e) || main_let_go(m, e)
		       ? -1
		       : 0;
}

/* No deadline is set: sleep until an event. */
static bool main_is_idle(const struct main_state *m)
{
	const struct egress *g = &m->egress;

	return !g->flow_count && !m->is_waiting && !(g->resolver && resolver_is_busy(g->resolver));
}

static void main_turn(struct main_state *m)
{
	struct egress *g = &m->egress;
	int wait_ms = g->is_throttled ? MAIN_METER_MS : MAIN_TURN_MS;

	if (g->resolver)
		wait_ms = resolver_wait_ms(g->resolver, wait_ms);
	reactor_turn(&g->reactor, main_is_idle(m) ? -1 : wait_ms);
	if (g->resolver)
		resolver_tick(g->resolver);
	flow_tick(g);
	m->is_waiting = listeners_tick(&m->listeners);
	if (m->stub)
		m->is_waiting = stub_tick(m->stub) || m->is_waiting;
	flow_bury(g);
}

static void main_close(struct main_state *m)
{
	struct egress *g = &m->egress;

	flow_end_all(g);
	if (m->stub)
		stub_close(m->stub);
	listeners_close(&m->listeners);
	if (g->resolver)
		resolver_close(g->resolver);
	relay_pipes_close(&g->pipes);
	net_fini(&g->net);
	proxy_close(&g->proxy);
	while (g->pool_count)
		own_close(&g->pool[--g->pool_count]);
	own_close(&g->record.log);
	own_close(&g->reactor.epoll);
	own_close(&m->control.fd);
}

int main(void)
{
	struct main_state *m = own_zeroed(1, sizeof(*m));
	struct err e = {0};
	int status = 1;

	signal(SIGPIPE, SIG_IGN);
	m->inside = MAIN_INSIDE;
	m->egress.record.log = -1;
	m->control = (struct control){.watch.fd = -1,
				      .egress = &m->egress,
				      .listeners = &m->listeners,
				      .fd = MAIN_CONTROL};
	/* On failure just exit: whoever starts the sandbox sees end of file and reports it. */
	if (!main_prepare(m, &e)) {
		while (!m->control.has_ended)
			main_turn(m);
		status = 0;
	}
	main_close(m);
	free(m);
	return status;
}
