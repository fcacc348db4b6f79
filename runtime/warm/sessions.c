/*
 * sessions - the supervisor's table of sessions: kept here, driven by clients.
 */
#include "warm/sessions.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"
#include "cgroup/cgroup.h"
#include "loop/clock.h"
#include "loop/fd.h"

/*
 * Kill the cell, which a client may be freezing right now, and forget it. Clients may hold a copy
 * of its network's control socket: shut that down, so that glovebox-egress ends all the same.
 */
static void sessions_end(struct sessions *s, struct kept_session *k)
{
	if (k->session.network >= 0)
		(void)shutdown(k->session.network, SHUT_RDWR);
	orphan_end(&k->orphan);
	session_end_later(&k->session, s->endings);
	*k = s->items[--s->count];
}

/* @why: told to later requests by name, and to the borrower. */
static void sessions_lose_one(struct sessions *s, struct kept_session *k, const char *why)
{
	lost_sessions_add(&s->lost, k->name, k->borrower, why);
	sessions_end(s, k);
}

static struct kept_session *sessions_find_named(struct sessions *s, const char *name)
{
	for (unsigned i = 0; name && i < s->count; i++) {
		if (!strcmp(s->items[i].name, name))
			return &s->items[i];
	}
	return NULL;
}

static int sessions_no_session(struct sessions *s, const char *name, struct err *e)
{
	const char *why = lost_sessions_named(&s->lost, name);

	return why ? err_set(e, ERR_GONE, "the session %.63s %s", name, why)
		   : err_set(e, ERR_NOT_FOUND,
			     "there is no session %.63s; glovebox session ls lists them", name);
}

struct kept_session *sessions_find(struct sessions *s, const char *name, struct err *e)
{
	struct kept_session *k = sessions_find_named(s, name);
	/* Check this one now; the whole table is checked at intervals. */
	bool ended = k && fd_is_ready(k->session.fds[SESSION_PIDFD], POLLIN);
	const char *why = k ? kept_session_why_over(k, ended, monotonic_us()) : NULL;

	if (why)
		sessions_lose_one(s, k, why);
	if (k && !why)
		return k;
	sessions_no_session(s, name, e);
	return NULL;
}

/* -- keep ------------------------------------------------------------------------------------ */

static void sessions_make_room(struct sessions *s)
{
	if (s->count < s->capacity)
		return;
	s->capacity = s->capacity ? 2 * s->capacity : 16;
	s->items = own_resize(s->items, s->capacity, sizeof(*s->items));
}

/* Take what follows its own descriptors: those of its groups, and that of its network. */
static void sessions_take_groups(struct op_request *request, struct session *session)
{
	struct wire_message *m = &request->message;
	unsigned end = m->fd_count;

	if (request->keep.network && end > SESSION_FDS)
		session->network = wire_take(m, --end);
	for (unsigned i = SESSION_FDS; i < end && session->group.count < CGROUP_MAX_FDS; i++)
		session->group.dirs[session->group.count++] = wire_take(m, i);
}

static void sessions_take_kept(struct op_request *request, struct kept_session *k)
{
	const struct keep_request *r = &request->keep;
	struct session *session = &k->session;

	*k = (struct kept_session){
		.session = session_none(), .idle_ms = r->idle_ms, .ttl_ms = r->ttl_ms};
	snprintf(k->name, sizeof(k->name), "%s", r->name);
	cgroup_copy_name(session->group.name, r->group);
	session->host_uid = (uint32_t)r->uid;
	session->host_gid = (uint32_t)r->gid;
	session->memory_bytes = r->memory;
	for (unsigned i = 0; i < SESSION_FDS; i++)
		session->fds[i] = wire_take(&request->message, i);
	/* The supervisor reads an orphan's output. */
	(void)fcntl(session->fds[SESSION_STDOUT], F_SETFL, O_NONBLOCK);
	(void)fcntl(session->fds[SESSION_STDERR], F_SETFL, O_NONBLOCK);
	sessions_take_groups(request, session);
	k->made_us = k->used_us = monotonic_us();
}

int sessions_keep(struct sessions *s, struct op_request *request, struct err *e)
{
	struct kept_session *k;
	struct err none;

	if (!*request->keep.name)
		return err_input(e, "a session needs a name");
	if (sessions_find(s, request->keep.name, &none))
		return err_set(e, ERR_EXISTS,
			       "there is a session %.63s already; glovebox session rm ends it",
			       request->keep.name);
	if (s->count == SESSIONS_MAX)
		return err_set(e, ERR_LIMIT, "no room for another session");
	sessions_make_room(s);
	k = &s->items[s->count++];
	sessions_take_kept(request, k);
	k->number = ++s->last_number;
	lost_sessions_forget(&s->lost, k->name);
	return 0;
}

/* -- borrow and return ----------------------------------------------------------------------- */

static void sessions_list_checkpoints(const struct session *session, struct form_list *out)
{
	struct checkpoint_entry *entries =
		own_zeroed(session->checkpoint_count + 1, sizeof(*entries));

	for (unsigned i = 0; i < session->checkpoint_count; i++) {
		const struct session_checkpoint *checkpoint = &session->checkpoints[i];

		entries[i] = (struct checkpoint_entry){.name = checkpoint->name,
						       .pid = checkpoint->pid,
						       .start = checkpoint->start};
	}
	*out = (struct form_list){entries, session->checkpoint_count};
}

unsigned sessions_lend(struct kept_session *k, uint64_t client,
		       const struct borrow_request *request, struct borrow_answer *out, int *fds)
{
	struct session *session = &k->session;
	unsigned count = 0;

	*out = (struct borrow_answer){.frozen = session->frozen,
				      .group = session->group.name,
				      .uid = session->host_uid,
				      .gid = session->host_gid,
				      .groups = session->group.count,
				      .memory = session->memory_bytes,
				      .network = session->network >= 0};
	sessions_list_checkpoints(session, &out->checkpoints);
	for (unsigned i = 0; i < SESSION_FDS; i++)
		fds[count++] = session->fds[i];
	for (unsigned i = 0; i < session->group.count; i++)
		fds[count++] = session->group.dirs[i];
	for (unsigned i = 0; i < session->checkpoint_count; i++)
		fds[count++] = session->checkpoints[i].socket;
	k->borrower = client;
	k->for_files = request->files;
	k->outlives = request->outlives;
	k->limit_ms = request->limit_ms;
	k->used_us = monotonic_us();
	/* Treat it as frozen from now on, even if the borrower vanishes. */
	session->frozen |= request->freeze;
	return count;
}

/* Take the socket of a checkpoint known before; its new one is -1 then. */
static void sessions_take_known(struct session_checkpoint *known, unsigned count,
				struct session_checkpoint *out)
{
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(known[i].name, out->name) != 0)
			continue;
		out->socket = take_fd(&known[i].socket);
		out->made_us = known[i].made_us;
		return;
	}
}

/* The borrower's list of checkpoints replaces ours; new ones bring a socket. */
static void sessions_take_checkpoints(struct session *session, struct op_request *request,
				      unsigned at)
{
	struct session_checkpoint known[SESSION_MAX_CHECKPOINTS];
	unsigned known_count = session->checkpoint_count;
	const struct form_list *list = &request->give_back.checkpoints;
	const struct checkpoint_entry *entries = list->items;

	memcpy(known, session->checkpoints, sizeof(known));
	session->checkpoint_count = 0;
	for (unsigned i = 0; i < list->count; i++) {
		struct session_checkpoint checkpoint = {.socket = -1,
							.pid = (uint32_t)entries[i].pid,
							.start = entries[i].start,
							.made_us = monotonic_us()};

		snprintf(checkpoint.name, sizeof(checkpoint.name), "%s", entries[i].name);
		if (entries[i].is_new)
			checkpoint.socket = wire_take(&request->message, at++);
		else
			sessions_take_known(known, known_count, &checkpoint);
		if (checkpoint.socket >= 0)
			session->checkpoints[session->checkpoint_count++] = checkpoint;
	}
	for (unsigned i = 0; i < known_count; i++)
		own_close(&known[i].socket);
}

/* After a rollback it has a new channel, which is the first descriptor. */
static unsigned sessions_take_channel(struct session *session, struct op_request *request)
{
	int channel = request->give_back.channel ? wire_take(&request->message, 0) : -1;

	if (channel < 0)
		return 0;
	own_close(&session->fds[SESSION_CHANNEL]);
	session->fds[SESSION_CHANNEL] = channel;
	return 1;
}

/* The borrower has ended it, or noticed its end, and may give a reason. */
static void sessions_lose_in_call(struct sessions *s, struct kept_session *k, const char *reason)
{
	char why[LOST_WHY_MAX];

	snprintf(why, sizeof(why), "ended during a call%s%.150s", *reason ? ": " : "", reason);
	sessions_lose_one(s, k, why);
}

const char *sessions_return(struct sessions *s, uint64_t client, struct op_request *request)
{
	const struct return_request *r = &request->give_back;
	const char *why = lost_sessions_of(&s->lost, client);

	if (why)
		return why;
	for (unsigned i = 0; i < s->count; i++) {
		struct kept_session *k = &s->items[i];

		if (k->borrower != client)
			continue;
		k->borrower = NOBODY;
		k->used_us = monotonic_us();
		k->calls++;
		if (!k->for_files)
			k->oom_kills = session_oom_kills(&k->session);
		k->session.frozen = r->frozen;
		sessions_take_checkpoints(&k->session, request,
					  sessions_take_channel(&k->session, request));
		if (r->lost)
			sessions_lose_in_call(s, k, r->why);
		break;
	}
	return NULL;
}

void sessions_drop(struct sessions *s, struct kept_session *k)
{
	if (k->borrower)
		lost_sessions_add(&s->lost, "", k->borrower, "was removed (glovebox session rm)");
	sessions_end(s, k);
}

/* -- the list -------------------------------------------------------------------------------- */

void sessions_take_back(struct sessions *s, uint64_t client)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (s->items[i].borrower == client)
			s->items[i].borrower = NOBODY;
	}
}

static void sessions_orphan(struct kept_session *k)
{
	uint64_t begun_us = k->used_us;

	k->borrower = NOBODY;
	k->used_us = monotonic_us();
	k->calls++;
	orphan_begin(&k->orphan, &k->session, begun_us, k->limit_ms, k->used_us);
}

void sessions_leave(struct sessions *s, uint64_t client)
{
	for (unsigned i = s->count; i-- > 0;) {
		struct kept_session *k = &s->items[i];

		if (k->borrower != client)
			continue;
		if (k->for_files)
			kept_session_leave_files(k);
		else if (k->outlives)
			sessions_orphan(k);
		else
			sessions_lose_one(s, k, "was lost: its caller vanished during a call");
	}
}

void sessions_unvisit(struct sessions *s, uint64_t number)
{
	for (unsigned i = 0; number != NOBODY && i < s->count; i++) {
		if (s->items[i].number != number)
			continue;
		s->items[i].visitors--;
		if (!s->items[i].borrower) /* a loan began then: sessions_orphan() */
			s->items[i].used_us = monotonic_us();
	}
}

/* One poll() for all: they may be thousands. */
static struct pollfd *sessions_look_at_all(const struct sessions *s)
{
	struct pollfd *fds = own_zeroed(s->count + 1, sizeof(*fds));

	for (unsigned i = 0; i < s->count; i++)
		fds[i] = (struct pollfd){s->items[i].session.fds[SESSION_PIDFD], POLLIN, 0};
	fd_look(fds, s->count);
	return fds;
}

unsigned sessions_check(struct sessions *s, uint64_t now_us)
{
	auto_free struct pollfd *ended = sessions_look_at_all(s);
	unsigned turns =
		s->count / 64 + 1; /* a count takes 50 us: check only a part of them per turn */

	s->turn++;
	/* Go backwards: the last entry replaces a removed one. */
	for (unsigned i = s->count; i-- > 0;) {
		const char *why;

		kept_session_look_after(&s->items[i], now_us);
		why = kept_session_why_over(&s->items[i], ended[i].revents, now_us);
		if (!why && i % turns == s->turn % turns)
			why = kept_session_why_full(&s->items[i]);
		if (why)
			sessions_lose_one(s, &s->items[i], why);
	}
	return s->count;
}

void sessions_lose(struct sessions *s)
{
	while (s->count)
		sessions_lose_one(s, &s->items[s->count - 1], "ended with its nursery");
}

void sessions_fini(struct sessions *s)
{
	while (s->count)
		sessions_end(s, &s->items[s->count - 1]);
	free(s->items);
	*s = (struct sessions){.endings = s->endings};
}
