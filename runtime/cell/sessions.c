/*
 * sessions - the supervisor's table of sessions: kept here, driven by others.
 */
#include "cell/sessions.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "host/cgroup.h"

/* Kill the cell and forget it; its end is watched by others. */
static void drop(struct sessions *s, struct kept_session *k)
{
	struct session *session = &k->session;
	struct ending ending = ending_none();

	ending.pidfd = take_fd(&session->fds[SESSION_PIDFD]);
	/* A client may be freezing it right now. */
	ending.frozen = session->frozen;
	memcpy(ending.name, session->group, sizeof(ending.name));
	for (unsigned i = 0; i < session->group_count; i++)
		ending.dirs[ending.dir_count++] = take_fd(&session->groups[i]);
	endings_add(s->endings, &ending);
	session_close(session);
	*k = s->items[--s->count];
}

/* @why  for who asks for it later, and for who has borrowed it. */
static void lose(struct sessions *s, struct kept_session *k, const char *why)
{
	lost_sessions_add(&s->lost, k->name, k->borrower, why);
	drop(s, k);
}

static struct kept_session *find(struct sessions *s, const char *name)
{
	for (unsigned i = 0; name && i < s->count; i++) {
		if (!strcmp(s->items[i].name, name))
			return &s->items[i];
	}
	return NULL;
}

/* The one of that name, if it still lives: who asks need not wait for the next look at all. */
static struct kept_session *find_live(struct sessions *s, const char *name)
{
	struct kept_session *k = find(s, name);
	struct pollfd ended = {k ? k->session.fds[SESSION_PIDFD] : -1, POLLIN, 0};
	const char *why =
		k ? kept_session_why_over(k, poll(&ended, 1, 0) > 0, monotonic_us()) : NULL;

	if (!why)
		return k;
	lose(s, k, why);
	return NULL;
}

/* -- keep ------------------------------------------------------------------------------------ */

static void fail(struct buf *answer, const char *text)
{
	buf_text(answer, "{\"error\":");
	buf_json_text(answer, text);
	buf_text(answer, "}");
}

static void fail_named(struct sessions *s, struct buf *answer, const char *name)
{
	char text[SESSION_NAME_MAX + 240];
	const char *why = name ? lost_sessions_named(&s->lost, name) : NULL;

	if (why)
		snprintf(text, sizeof(text), "the session %.63s %s", name, why);
	else
		snprintf(text, sizeof(text),
			 "there is no session %.60s; glovebox session ls lists "
			 "them",
			 name ? name : "");
	fail(answer, text);
}

static void make_room(struct sessions *s)
{
	if (s->count < s->capacity)
		return;
	s->capacity = s->capacity ? 2 * s->capacity : 16;
	s->items = realloc(s->items, s->capacity * sizeof(*s->items));
	if (!s->items)
		abort();
}

static int read_kept(const struct json *request, struct kept_session *k, const char **name,
		     struct err *e)
{
	const char *group = NULL;
	uint64_t uid = 0;
	uint64_t gid = 0;

	if (json_get_string(request, "name", name, e) ||
	    json_get_string(request, "group", &group, e) ||
	    json_get_uint(request, "uid", &uid, e) || json_get_uint(request, "gid", &gid, e) ||
	    json_get_uint(request, "idle_ms", &k->idle_ms, e) ||
	    json_get_uint(request, "ttl_ms", &k->ttl_ms, e) ||
	    session_read_memory(request, &k->session, e))
		return -1;
	if (!*name || !**name || strlen(*name) >= SESSION_NAME_MAX || !group)
		return err_input(e, "a session needs a name of at most %d bytes",
				 SESSION_NAME_MAX - 1);
	snprintf(k->name, sizeof(k->name), "%s", *name);
	snprintf(k->session.group, sizeof(k->session.group), "%.79s", group);
	k->session.host_uid = (uint32_t)uid;
	k->session.host_gid = (uint32_t)gid;
	return 0;
}

static void keep(struct sessions *s, const struct json *request, struct wire_message *m,
		 struct buf *answer)
{
	struct kept_session k = {.session = session_none()};
	const char *name = NULL;
	struct err e;
	bool taken;

	if (read_kept(request, &k, &name, &e)) {
		fail(answer, e.text);
		return;
	}
	taken = find(s, name) != NULL;
	if (taken || s->count == SESSIONS_MAX || m->fd_count < SESSION_FDS ||
	    m->fd_count > SESSION_FDS + CGROUP_MAX_FDS) {
		fail(answer, taken ? "there is a session of that name already"
				   : "no room for another session");
		return;
	}
	for (unsigned i = 0; i < SESSION_FDS; i++)
		k.session.fds[i] = wire_take(m, i);
	for (unsigned i = SESSION_FDS; i < m->fd_count; i++)
		k.session.groups[k.session.group_count++] = wire_take(m, i);
	k.made_us = k.used_us = monotonic_us();
	make_room(s);
	lost_sessions_forget(&s->lost, k.name);
	s->items[s->count++] = k;
	buf_text(answer, "{}");
}

/* -- borrow and return ----------------------------------------------------------------------- */

static void lend(struct kept_session *k, struct buf *answer, int *fds, unsigned *fd_count)
{
	const struct session *session = &k->session;

	buf_printf(answer, "{\"frozen\":%s,\"group\":\"%s\",\"uid\":%u,\"gid\":%u,\"groups\":%u",
		   session->frozen ? "true" : "false", session->group, session->host_uid,
		   session->host_gid, session->group_count);
	session_write_memory(session, answer);
	buf_text(answer, ",\"twins\":[");
	*fd_count = 0;
	for (unsigned i = 0; i < SESSION_FDS; i++)
		fds[(*fd_count)++] = session->fds[i];
	for (unsigned i = 0; i < session->group_count; i++)
		fds[(*fd_count)++] = session->groups[i];
	for (unsigned i = 0; i < session->twin_count; i++) {
		buf_printf(answer, "%s{\"pid\":%u,\"start\":%llu,\"name\":", i ? "," : "",
			   session->twins[i].pid, (unsigned long long)session->twins[i].start);
		buf_json_text(answer, session->twins[i].name);
		buf_text(answer, "}");
		fds[(*fd_count)++] = session->twins[i].socket;
	}
	buf_text(answer, "]}");
}

/* The socket of a checkpoint that was known before; -1. */
static int take_known(struct session_twin *known, unsigned count, const char *name)
{
	for (unsigned i = 0; i < count; i++) {
		if (!strcmp(known[i].name, name))
			return take_fd(&known[i].socket);
	}
	return -1;
}

/* What the borrower says about checkpoints replaces what was known; new ones bring a socket. */
static void take_twins(struct session *session, const struct json *request, struct wire_message *m,
		       unsigned at)
{
	struct session_twin known[SESSION_MAX_TWINS];
	unsigned known_count = session->twin_count;
	const struct json *n = json_first(json_get(request, "twins"));

	memcpy(known, session->twins, sizeof(known));
	session->twin_count = 0;
	for (; n && session->twin_count < SESSION_MAX_TWINS; n = json_next(n)) {
		struct session_twin twin = {.socket = -1};
		const char *name = json_string(json_get(n, "name"));
		uint64_t pid = 0;

		if (!name || json_number(json_get(n, "pid"), &pid) ||
		    json_number(json_get(n, "start"), &twin.start))
			break;
		twin.pid = (uint32_t)pid;
		snprintf(twin.name, sizeof(twin.name), "%s", name);
		twin.socket = json_is_true(json_get(n, "new"))
				      ? wire_take(m, at++)
				      : take_known(known, known_count, name);
		if (twin.socket >= 0)
			session->twins[session->twin_count++] = twin;
	}
	for (unsigned i = 0; i < known_count; i++)
		own_close(&known[i].socket);
}

/* After a rollback it has another, which comes first. */
static unsigned take_channel(struct session *session, const struct json *request,
			     struct wire_message *m)
{
	int channel = json_is_true(json_get(request, "channel")) ? wire_take(m, 0) : -1;

	if (channel < 0)
		return 0;
	own_close(&session->fds[SESSION_CHANNEL]);
	session->fds[SESSION_CHANNEL] = channel;
	return 1;
}

/* @reason  of the borrower, who has ended it or seen it end; NULL: it gives none. */
static void lose_in_call(struct sessions *s, struct kept_session *k, const char *reason)
{
	char why[LOST_WHY_MAX];

	snprintf(why, sizeof(why), "ended during a call%s%.150s", reason ? ": " : "",
		 reason ? reason : "");
	lose(s, k, why);
}

static void give_back(struct sessions *s, uint64_t client, const struct json *request,
		      struct wire_message *m, struct buf *answer)
{
	const char *why = lost_sessions_of(&s->lost, client);

	if (why) {
		buf_text(answer, "{\"why\":");
		buf_json_text(answer, why);
		buf_text(answer, "}");
		return;
	}
	for (unsigned i = 0; i < s->count; i++) {
		struct kept_session *k = &s->items[i];

		if (k->borrower != client)
			continue;
		k->borrower = NOBODY;
		k->used_us = monotonic_us();
		k->calls++;
		k->oom_kills = session_oom_kills(&k->session);
		k->session.frozen = json_is_true(json_get(request, "frozen"));
		take_twins(&k->session, request, m, take_channel(&k->session, request, m));
		if (json_is_true(json_get(request, "lost")))
			lose_in_call(s, k, json_string_at(request, "why"));
	}
	buf_text(answer, "{}");
}

static void list(const struct sessions *s, struct buf *answer)
{
	uint64_t now = monotonic_us();

	buf_text(answer, "{\"sessions\":[");
	for (unsigned i = 0; i < s->count; i++) {
		const struct kept_session *k = &s->items[i];

		buf_printf(answer, "%s{\"name\":", i ? "," : "");
		buf_json_text(answer, k->name);
		buf_printf(answer,
			   ",\"busy\":%s,\"frozen\":%s,\"calls\":%llu,\"age_ms\":%llu,"
			   "\"idle_ms\":%llu,\"checkpoints\":%u}",
			   k->borrower ? "true" : "false", k->session.frozen ? "true" : "false",
			   (unsigned long long)k->calls,
			   (unsigned long long)(now - k->made_us) / 1000,
			   (unsigned long long)(now - k->used_us) / 1000, k->session.twin_count);
	}
	buf_text(answer, "]}");
}

int sessions_request(struct sessions *s, uint64_t client, const char *op,
		     const struct json *request, struct wire_message *m, struct buf *answer,
		     int *fds, unsigned *fd_count)
{
	const char *name = json_string(json_get(request, "name"));
	struct kept_session *k = find_live(s, name);

	if (!strcmp(op, "sessions")) {
		sessions_check(s, monotonic_us());
		list(s, answer);
	} else if (!strcmp(op, "keep"))
		keep(s, request, m, answer);
	else if (!strcmp(op, "return"))
		give_back(s, client, request, m, answer);
	else if (strcmp(op, "borrow") != 0 && strcmp(op, "drop") != 0)
		return -1;
	else if (!k)
		fail_named(s, answer, name);
	else if (!strcmp(op, "drop")) {
		if (k->borrower)
			lost_sessions_add(&s->lost, "", k->borrower,
					  "was removed (glovebox session rm)");
		drop(s, k);
		buf_text(answer, "{}");
	} else if (k->borrower) {
		return 1;
	} else {
		k->borrower = client;
		k->for_files = json_is_true(json_get(request, "files"));
		k->used_us = monotonic_us();
		lend(k, answer, fds, fd_count);
		/* From now on it may be, even if the borrower vanishes. */
		k->session.frozen |= json_is_true(json_get(request, "freeze"));
	}
	return 0;
}

void sessions_take_back(struct sessions *s, uint64_t client)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (s->items[i].borrower == client)
			s->items[i].borrower = NOBODY;
	}
}

void sessions_leave(struct sessions *s, uint64_t client)
{
	for (unsigned i = s->count; i-- > 0;) {
		if (s->items[i].borrower != client)
			continue;
		if (s->items[i].for_files)
			s->items[i].borrower = NOBODY;
		else
			lose(s, &s->items[i], "was lost: its caller vanished during a call");
	}
}

/* One call for all: there may be thousands. */
static struct pollfd *look_at_all(const struct sessions *s)
{
	struct pollfd *fds = calloc(s->count + 1, sizeof(*fds));

	if (!fds)
		abort();
	for (unsigned i = 0; i < s->count; i++)
		fds[i] = (struct pollfd){s->items[i].session.fds[SESSION_PIDFD], POLLIN, 0};
	poll(fds, s->count, 0);
	return fds;
}

unsigned sessions_check(struct sessions *s, uint64_t now_us)
{
	auto_free struct pollfd *ended = look_at_all(s);
	unsigned turns = s->count / 64 + 1; /* 50 us each: some at a time, so that nobody waits */

	s->turn++;
	/* Backwards: the last takes the place of one that goes. */
	for (unsigned i = s->count; i-- > 0;) {
		const char *why = kept_session_why_over(&s->items[i], ended[i].revents, now_us);

		if (!why && i % turns == s->turn % turns)
			why = kept_session_why_full(&s->items[i]);
		if (why)
			lose(s, &s->items[i], why);
	}
	return s->count;
}

void sessions_lose(struct sessions *s)
{
	while (s->count)
		lose(s, &s->items[s->count - 1], "ended with its nursery");
}

void sessions_fini(struct sessions *s)
{
	while (s->count)
		drop(s, &s->items[s->count - 1]);
	free(s->items);
	*s = (struct sessions){.endings = s->endings};
}
