/*
 * visit - the connections of a monitor: clients that start programs in its sandbox.
 */
#include "monitor/visit_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"
#include "host/omit.h"
#include "inside/door.h"
#include "loop/clock.h"
#include "monitor/renaming.h"
#include "net/unix_address.h"
#include "record/event.h"
#include "record/record.h"
#include "sandbox/spawn.h"

#define VISITS_MOST (2 * DOOR_PROGRAMS)
#define REST_US     100000

static void visit_leave(struct visit *x)
{
	int socket = x->watch.fd;

	hub_unwatch(x->of->hub, &x->watch);
	own_close(&socket);
	LIST_REMOVE(x, entry);
	visit_change_leave(x);
	x->of->count--;
	idling_leave(&x->of->idling, x->looks);
	free(x);
}

/* -- answers --------------------------------------------------------------------------------- */

int visit_send(const struct visit *x, const struct monitor_answer *answer, const int *fds,
	       unsigned count)
{
	auto_buf struct buf text = {0};
	struct err ignored;

	form_write(&monitor_answer_form, NULL, answer, &text);
	return wire_send(x->watch.fd, text.data, text.length, fds, count, &ignored);
}

void visit_refuse(const struct visit *x, const struct err *e)
{
	char text[sizeof(e->text)];
	const struct monitor_answer answer = {.kind = err_kind_name(e->kind),
					      .error = err_string(e, text, sizeof(text))};

	(void)visit_send(x, &answer, NULL, 0);
}

void visit_conclude(const struct visit *x, const struct err *failure)
{
	const struct monitor_answer done = {0};

	if (failure)
		visit_refuse(x, failure);
	else
		(void)visit_send(x, &done, NULL, 0);
}

void visits_on_exec_end(void *context, const struct report *report)
{
	struct visits *v = context;
	const struct monitor_answer answer = {
		.exec = report->exec, .ended = true, .status = (uint32_t)report->value};
	const struct event event = {.action = "exec_die",
				    .exec = report->exec,
				    .ended = true,
				    .exit_code = process_exit_code(report->value)};
	bool mover = false;
	struct visit *x;

	idling_leave(&v->idling, false);
	programs_on_end(&v->programs, report);
	LIST_FOREACH (x, &v->all, entry) {
		if (x->exec == report->exec)
			mover |= x->mover;
	}
	/* First: a client that is told may ask for it. */
	if (!mover)
		record_tell(v->record, &event);
	LIST_FOREACH (x, &v->all, entry) {
		if (x->exec == report->exec)
			(void)visit_send(x, &answer, NULL, 0);
	}
}

static void visit_on_started(void *context, uint32_t number, const struct err *failure)
{
	struct visits *v = context;
	const struct monitor_answer answer = {.exec = number};
	struct visit *x;

	LIST_FOREACH (x, &v->all, entry) {
		if (x->exec != number || !x->waits)
			continue;
		x->waits = false;
		if (failure)
			visit_refuse(x, failure);
		else
			(void)visit_send(x, &answer, NULL, 0);
	}
}

/* -- requests -------------------------------------------------------------------------------- */

/* A signal, a size: of the connection's own program, or else of the first. */
static void visit_serve(struct visit *x, const struct visit_request *q)
{
	const struct monitor_request *r = &q->fields;
	struct err e;

	x->looks = !strcmp(r->op, "programs") || !strcmp(r->op, "stats");
	if (!strcmp(r->op, "exec") && r->keep)
		visit_exec_keep(x, r);
	else if (!strcmp(r->op, "exec"))
		visit_exec(x, r);
	else if (!x->of->run)
		return; /* it is told of the end */
	else if (!strcmp(r->op, "signal"))
		run_exec_signal(x->of->run, x->exec, (int)r->number, r->group);
	else if (!strcmp(r->op, "resize") && x->exec)
		programs_resize(&x->of->programs, x->exec, r);
	else if (!strcmp(r->op, "resize"))
		run_resize(x->of->run, (uint16_t)r->rows, (uint16_t)r->columns);
	else if (!strcmp(r->op, "programs"))
		visit_exec_list(x, r->exec);
	else if (!strcmp(r->op, "attach"))
		visit_exec_attach(x, (uint32_t)r->exec, r->once);
	else if (!strcmp(r->op, "stats"))
		visit_tell_usage(x);
	else if (!strcmp(r->op, "pause"))
		visit_pause(x, RECORD_PAUSED);
	else if (!strcmp(r->op, "hibernate"))
		visit_pause(x, RECORD_HIBERNATED);
	else if (!strcmp(r->op, "unpause"))
		visit_pause(x, RECORD_RUNNING);
	else if (!strcmp(r->op, "rename"))
		visit_conclude(x,
			       renaming_do(x->of->record, x->of->place, r->name, &e) ? &e : NULL);
	else if (!strcmp(r->op, "update"))
		visit_update(x, q);
	else
		err_input(&e, "\"%s\" is not known", r->op), visit_refuse(x, &e);
}

static void visit_take(struct visit *x, struct wire_message *m)
{
	struct err e;
	auto_json struct json *document = json_parse(buf_string(&m->text), m->text.length, &e);
	struct visit_request q = {.document = document, .message = m};

	if (!document || form_read(&monitor_request_form, document, UPDATE_LIST_KEY, &q.fields, &e))
		visit_refuse(x, &e);
	else
		visit_serve(x, &q);
	if (document)
		form_fini(&monitor_request_form, &q.fields);
}

static void visit_ready(void *context, uint32_t events)
{
	struct visit *x = context;
	struct wire_message m;
	struct err ignored;

	(void)events;
	if (wire_receive(x->watch.fd, &m, &ignored) <= 0) {
		visit_leave(x);
		return;
	}
	visit_take(x, &m);
	wire_fini(&m);
}

/* -- connections ----------------------------------------------------------------------------- */

static bool visit_may(int socket)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return host_omits("peer") || (!getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
				      (peer.uid == geteuid() || peer.uid == 0));
}

static void visit_listen_again(void *context)
{
	struct visits *v = context;

	(void)hub_rewatch(v->hub, &v->listening, EPOLLIN);
}

/* Without a descriptor for it a connection waits, and its event with it: do not look at it. */
static bool visit_rest(struct visits *v)
{
	if ((errno == EMFILE || errno == ENFILE) && !hub_rewatch(v->hub, &v->listening, 0))
		hub_ring(v->hub, &v->rest, monotonic_us() + REST_US);
	return false;
}

/* Returns false if there is none to accept. */
static bool visit_accept_one(struct visits *v)
{
	/* cppcheck-suppress nullPointer ; both may be NULL (accept(2)) */
	auto_fd int socket = accept4(v->listening.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct visit *x;
	struct err ignored;

	if (socket < 0)
		return visit_rest(v);

	if (!visit_may(socket))
		return true;
	if (v->count == VISITS_MOST) {
		const struct visit nobody = {.watch.fd = socket};

		err_set(&ignored, ERR_BUSY, "the sandbox has %d clients already", VISITS_MOST);
		visit_refuse(&nobody, &ignored);
		return true;
	}
	x = own_zeroed(1, sizeof(*x));
	*x = (struct visit){
		.of = v, .watch = {.ready = visit_ready, .context = x}
        };
	if (hub_watch(v->hub, &x->watch, socket, EPOLLIN, &ignored)) {
		free(x);
		return true;
	}
	(void)take_fd(&socket);
	LIST_INSERT_HEAD(&v->all, x, entry);
	v->count++;
	idling_enter(&v->idling);
	return true;
}

static void visit_accept(void *context, uint32_t events)
{
	(void)events;
	(void)visit_accept_one(context);
}

static int visit_listen(int dir, struct err *e)
{
	struct sockaddr_un address;
	auto_fd int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)unix_address_in(dir, RECORD_SOCKET, &address);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 64))
		return err_sys(e, "listen for programs to start");
	return take_fd(&fd);
}

int visits_begin(struct visits *v, struct hub *hub, struct record_kept *record,
		 struct registration *place, struct run *run, struct err *e)
{
	auto_fd int fd = visit_listen(record->dir, e);

	*v = (struct visits){
		.hub = hub,
		.run = run,
		.record = record,
		.place = place,
		.input = v->input,
		.listening = {.ready = visit_accept, .context = v, .fd = -1}
        };
	visit_change_init(v);
	v->programs = (struct programs){
		.hub = hub, .record = record, .started = visit_on_started, .context = v};
	programs_begin(&v->programs);
	v->rest = (struct hub_timer){.ring = visit_listen_again, .context = v};
	LIST_INIT(&v->all);
	idling_begin(&v->idling, hub, run);
	if (fd < 0 || hub_watch(hub, &v->listening, fd, EPOLLIN, e))
		return -1;
	(void)take_fd(&fd);
	return 0;
}

void visits_end(struct visits *v, int exit_code)
{
	const struct monitor_answer answer = {.ended = true, .status = (uint32_t)exit_code};
	int fd = v->hub ? v->listening.fd : -1;
	struct visit *x;

	v->run = NULL;
	idling_end(&v->idling);
	programs_end(&v->programs);
	if (fd < 0)
		return;
	pausing_end(&v->pausing);
	updating_end(&v->updating);
	while (visit_accept_one(v))
		; /* they connected before the end */
	hub_silence(v->hub, &v->rest);
	hub_unwatch(v->hub, &v->listening);
	own_close(&fd);
	while ((x = LIST_FIRST(&v->all))) {
		(void)visit_send(x, &answer, NULL, 0);
		visit_leave(x);
	}
}
