/*
 * supervisor - the warm supervisor of one user: a nursery, a pool, who asks.
 */
#include "cell/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/own.h"
#include "cell/pool.h"
#include "cell/runtime_dir.h"
#include "cell/sessions.h"
#include "cell/wire.h"
#include "host/watch.h"

#define MAX_CLIENTS    4096
#define MAX_FAILURES   20
#define RESTART_US     1000000 /* between two starts of a nursery that does not live */
#define CLIENT_WAIT_US 30000000
#define DEAF_US        50000
#define LOOK_US        250000

struct client {
	int fd;          /* owned */
	uint64_t number; /* never used twice */
	bool waits;      /* for a cell */
	bool borrows;    /* a session; the connection stays */
	char *wants;     /* the request for a session that another has borrowed; owned */
	uint64_t since_us;
};

struct supervisor {
	const struct supervisor_options *options;
	int listen_fd;
	int signal_fd;
	int ready_fd;
	struct nursery nursery;
	struct pool pool;
	struct client clients[MAX_CLIENTS];
	unsigned client_count;
	uint64_t next_client;
	struct sessions sessions;
	uint64_t last_request_us;
	uint64_t last_look_us;  /* at what may have ended meanwhile */
	uint64_t deaf_until_us; /* no descriptor is left for another client */
	uint64_t served;
	uint64_t restarts;
	bool was_ready; /* the pool has been full once */
	struct err why; /* of the last failure */
	struct err call_error;
	bool stop;
};

/* -- the nursery and its cells ------------------------------------------------------------ */

static void lose_nursery(struct supervisor *s)
{
	pool_empty(&s->pool);
	sessions_thaw(&s->sessions);
	nursery_stop(&s->nursery);
}

static int start_nursery(struct supervisor *s, struct err *e)
{
	if (!nursery_start(&s->options->nursery, &s->pool.ids, &s->nursery, e))
		return 0;
	s->nursery.started_us = monotonic_us();
	return -1;
}

static unsigned waiting(const struct supervisor *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->client_count; i++)
		n += s->clients[i].waits;
	return n;
}

/* As many on the way as will be missed, a few at a time. */
static void fill_pool(struct supervisor *s)
{
	unsigned awaited = waiting(s);
	unsigned wanted = s->options->pool + awaited;

	while (s->nursery.state == NURSERY_READY && s->pool.count < wanted &&
	       pool_under_way(&s->pool) < POOL_CALLS) {
		if (pool_call(&s->pool, &s->nursery, awaited > 0, &s->call_error)) {
			s->pool.failed_in_a_row++;
			return; /* tried again at the next turn */
		}
	}
}

/* The first start is reported to who waits for it; a later failure is tried again. */
static void tell_ready(struct supervisor *s, const char *text)
{
	if (s->ready_fd < 0)
		return;
	(void)io_write_all(s->ready_fd, text, strlen(text));
	own_close(&s->ready_fd);
}

static void nursery_failed(struct supervisor *s, const struct err *why)
{
	lose_nursery(s);
	s->restarts++;
	s->stop |= !s->was_ready; /* it would fail again */
	s->why = *why;
}

static void attend_nursery(struct supervisor *s)
{
	struct err e = {0};

	while (s->nursery.state != NURSERY_NONE) {
		switch (nursery_receive(&s->nursery, &e)) {
		case NURSERY_QUIET:
			if (nursery_attend(&s->nursery, &e)) {
				/* It may have said why, after we looked. */
				(void)nursery_receive(&s->nursery, &e);
				nursery_failed(s, &e);
			}
			return;
		case NURSERY_IS_READY:
			break;
		case NURSERY_FAILED:
			(void)nursery_attend(&s->nursery, &e); /* may know more */
			nursery_failed(s, &e);
			return;
		}
	}
}

/* -- clients ------------------------------------------------------------------------------ */

static void drop_client(struct supervisor *s, unsigned index)
{
	sessions_leave(&s->sessions, s->clients[index].number);
	own_close(&s->clients[index].fd);
	free(s->clients[index].wants);
	s->client_count--;
	memmove(&s->clients[index], &s->clients[index + 1],
		(s->client_count - index) * sizeof(s->clients[0]));
}

static void answer(int fd, const char *key, const char *text)
{
	auto_buf struct buf json = {0};
	struct err e;

	buf_printf(&json, "{\"%s\":", key);
	buf_json_text(&json, text);
	buf_text(&json, "}");
	(void)wire_send(fd, json.data, json.length, NULL, 0, &e);
}

static bool is_ours(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.uid == geteuid();
}

static void accept_clients(struct supervisor *s)
{
	for (;;) {
		/* cppcheck-suppress nullPointer ; nobody asks where a client is (accept4(2)) */
		auto_fd int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		s->deaf_until_us = 0;
		if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
			s->deaf_until_us = monotonic_us() + DEAF_US; /* or poll() would spin */
			return;
		}
		if (fd < 0)
			return;
		if (!is_ours(fd))
			continue;
		if (s->client_count == MAX_CLIENTS) {
			answer(fd, "busy",
			       "the warm supervisor has too many requests: try again in "
			       "a second");
			continue;
		}
		s->clients[s->client_count++] = (struct client){
			.fd = take_fd(&fd), .number = ++s->next_client, .since_us = monotonic_us()};
	}
}

static unsigned long long descriptor_limit(void)
{
	struct rlimit limit = {0};

	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_max;
}

/* Hand a cell over; from here on it is the client's. */
static bool serve(struct supervisor *s, int client_fd)
{
	struct cell *c = pool_take(&s->pool);
	const struct idmap *map = &s->nursery.sandbox.map;
	uint32_t uid;
	uint32_t gid;
	auto_buf struct buf json = {0};
	int fds[3 + CGROUP_MAX_FDS];
	unsigned count = 3;
	struct err e;

	if (!c)
		return false;
	uid = c->uid ? c->uid : map->host_uid;
	gid = c->uid ? c->uid : map->host_gid;
	fds[0] = c->pidfd;
	fds[1] = c->control;
	fds[2] = c->start;
	for (unsigned i = 0; i < c->cgroup.count; i++)
		fds[count++] = c->cgroup.dirs[i];
	buf_printf(&json, "{\"group\":\"%s\",\"uid\":%u,\"gid\":%u,\"nofile\":%llu}",
		   c->cgroup.name, uid, gid, descriptor_limit());
	if (wire_send(client_fd, json.data, json.length, fds, count, &e)) {
		pool_drop(&s->pool, c);
		return true;
	}
	pool_lease(&s->pool, c);
	s->served++;
	return true;
}

static void tell_status(struct supervisor *s, int fd)
{
	static const char *const states[] = {[NURSERY_NONE] = "restarting",
					     [NURSERY_STARTING] = "starting",
					     [NURSERY_READY] = "ready"};
	auto_buf struct buf json = {0};
	struct err e;

	buf_printf(&json, "{\"pid\":%d,\"state\":\"%s\",\"image\":", (int)getpid(),
		   states[s->nursery.state]);
	buf_json_text(&json, s->options->nursery.image);
	buf_text(&json, ",\"preload\":");
	buf_json_text(&json, s->options->nursery.preload);
	buf_printf(&json,
		   ",\"python\":\"%s\",\"pool\":%u,\"ready\":%u,\"under_way\":%u,\"waiting\":%u,"
		   "\"served\":%llu,\"made\":%llu,\"failed\":%llu,\"restarts\":%llu,"
		   "\"running\":%u,\"sessions\":%u}",
		   s->nursery.version, s->options->pool, pool_ready(&s->pool),
		   pool_under_way(&s->pool), waiting(s), (unsigned long long)s->served,
		   (unsigned long long)s->pool.made, (unsigned long long)s->pool.failed,
		   (unsigned long long)s->restarts, pool_leased(&s->pool), s->sessions.count);
	(void)wire_send(fd, json.data, json.length, NULL, 0, &e);
}

/* true: answered; false: it waits for a cell. */
static bool request_cell(struct supervisor *s, struct client *client, const struct json *request)
{
	const struct buf *ours = &s->nursery.key;
	const char *key = NULL;
	struct err e;

	if (json_get_string(request, "key", &key, &e) || !key)
		answer(client->fd, "refused", "the request has no key");
	else if (s->nursery.state == NURSERY_NONE)
		answer(client->fd, "refused", "the nursery is being restarted");
	else if (strcmp(key, buf_string(ours)) != 0)
		answer(client->fd, "refused",
		       "the warm Python is of another image, user or environment");
	else if (serve(s, client->fd))
		return true;
	else
		return !(client->waits = true);
	return true;
}

/* A request about sessions. Returns as obey(); *known: it was one. */
static bool request_session(struct supervisor *s, struct client *client, const char *op,
			    const struct json *request, struct wire_message *m, bool *known)
{
	auto_buf struct buf text = {0};
	int fds[WIRE_MAX_FDS];
	unsigned count = 0;
	struct err e;
	int busy;

	sessions_check(&s->sessions, monotonic_us());
	busy = sessions_request(&s->sessions, client->number, op, request, m, &text, fds, &count);

	*known = busy >= 0;
	if (busy > 0) {
		free(client->wants);
		client->wants = strdup(buf_string(&m->text));
		return false;
	}
	if (busy < 0)
		return true;
	client->borrows = count > 0;
	return wire_send(client->fd, text.data, text.length, fds, count, &e) || !client->borrows;
}

/* Only we can call the nursery; the branch's control socket is the client's already. */
static void request_branch(struct supervisor *s, struct client *client, const struct json *request,
			   const struct wire_message *m)
{
	struct cgroup group = {.oom_fd = -1};
	auto_buf struct buf text = {0};
	struct err e;

	if (pool_branch(&s->pool, &s->nursery, request, m, &group, &e)) {
		cgroup_close(&group);
		answer(client->fd, "error", e.text);
		return;
	}
	buf_printf(&text, "{\"group\":\"%s\"}", group.name);
	if (wire_send(client->fd, text.data, text.length, group.dirs, group.count, &e))
		cgroup_close(&group);
	cgroup_forget(&group);
}

static bool stop(struct supervisor *s, struct client *client)
{
	auto_buf struct buf text = {0};
	struct err e;

	s->stop = true;
	client->borrows = true; /* the connection stays until the end */
	buf_printf(&text, "{\"running\":%u,\"sessions\":%u}", pool_leased(&s->pool),
		   s->sessions.count);
	(void)wire_send(client->fd, text.data, text.length, NULL, 0, &e);
	return false;
}

/* Returns true when the connection is done with. */
static bool obey(struct supervisor *s, struct client *client, struct wire_message *m)
{
	struct err e;
	auto_json struct json *request = json_parse(buf_string(&m->text), m->text.length, &e);
	const char *op = NULL;
	bool known = false;
	bool done;

	s->last_request_us = monotonic_us();
	if (!request || json_get_string(request, "op", &op, &e) || !op)
		return true;
	if (!strcmp(op, "cell"))
		return request_cell(s, client, request);
	if (!strcmp(op, "branch")) {
		request_branch(s, client, request, m);
		return !client->borrows;
	}
	done = request_session(s, client, op, request, m, &known);
	if (known)
		return done;
	if (!strcmp(op, "status"))
		tell_status(s, client->fd);
	else if (!strcmp(op, "stop"))
		return stop(s, client);
	return true;
}

/* A client that waits and hangs up, or sends a second request, is let go. */
static bool attend_client(struct supervisor *s, struct client *client)
{
	struct wire_message m;
	struct err e;
	bool done = true;

	if (wire_receive(client->fd, &m, &e) <= 0)
		return true;
	if (!client->waits && !client->wants)
		done = obey(s, client, &m);
	wire_fini(&m);
	return done;
}

/* Whoever waits for a session that was borrowed asks again, as it were. */
static bool serve_wish(struct supervisor *s, struct client *c)
{
	struct wire_message m = {0};
	char *wish = c->wants;
	bool done;

	c->wants = NULL;
	buf_text(&m.text, wish);
	free(wish);
	done = obey(s, c, &m);
	wire_fini(&m);
	return done;
}

/* Returns true when the connection is done with. */
static bool serve_one(struct supervisor *s, struct client *c, uint64_t now)
{
	bool late = now - c->since_us > CLIENT_WAIT_US;

	if (c->borrows)
		return false;
	if (c->wants)
		return serve_wish(s, c);
	if (!c->waits)
		return late; /* connected and said nothing */
	if (s->nursery.state == NURSERY_NONE)
		answer(c->fd, "refused", "the nursery is being restarted");
	else if (late)
		answer(c->fd, "busy", "no warm cell came free in time: try again");
	else
		return serve(s, c->fd);
	return true;
}

/* In the order of their coming as far as it matters: nobody is left behind. */
static void serve_waiting(struct supervisor *s)
{
	uint64_t now = monotonic_us();

	for (unsigned i = 0; i < s->client_count;) {
		if (serve_one(s, &s->clients[i], now))
			drop_client(s, i);
		else
			i++;
	}
}

/* -- the loop --------------------------------------------------------------------------------- */

enum { SLOT_SIGNAL, SLOT_LISTEN, SLOT_CALLS, SLOT_NURSERY, SLOT_OUT, SLOT_ERR, SLOT_CELLS };

static struct pollfd watch_for(int fd)
{
	return (struct pollfd){.fd = fd, .events = POLLIN};
}

static unsigned build_slots(const struct supervisor *s, struct pollfd *slots)
{
	bool alive = s->nursery.state != NURSERY_NONE;
	unsigned n = SLOT_CELLS;

	slots[SLOT_SIGNAL] = watch_for(s->signal_fd);
	slots[SLOT_LISTEN] = watch_for(s->deaf_until_us > monotonic_us() ? -1 : s->listen_fd);
	slots[SLOT_CALLS] = watch_for(alive ? s->nursery.calls : -1);
	slots[SLOT_NURSERY] = watch_for(alive ? s->nursery.child.control : -1);
	slots[SLOT_OUT] = watch_for(alive ? s->nursery.child.output[0] : -1);
	slots[SLOT_ERR] = watch_for(alive ? s->nursery.child.output[1] : -1);
	for (unsigned i = 0; i < s->pool.count; i++)
		slots[n++] = watch_for(s->pool.cells[i]->control);
	for (unsigned i = 0; i < s->client_count; i++)
		slots[n++] = watch_for(s->clients[i].fd);
	return n;
}

static void attend_all(struct supervisor *s, const struct pollfd *slots)
{
	const struct pollfd *cells = slots + SLOT_CELLS;
	const struct pollfd *clients = cells + s->pool.count;

	/* Backwards, because an end moves what comes after it; cells first, because clients
	 * take some away. */
	for (unsigned i = s->pool.count; i-- > 0;) {
		if (cells[i].revents)
			pool_attend(&s->pool, i);
	}
	for (unsigned i = s->client_count; i-- > 0;) {
		if (clients[i].revents && attend_client(s, &s->clients[i]))
			drop_client(s, i);
	}
}

static int timeout_ms(const struct supervisor *s)
{
	if (s->nursery.state == NURSERY_NONE || waiting(s) || s->deaf_until_us ||
	    s->pool.failed_in_a_row)
		return 100;
	if (s->pool.count > s->options->pool || s->pool.leased_count || s->sessions.count || s->sessions.anchors.count)
		return LOOK_US / 1000;
	return s->options->idle_exit_ms || s->client_count ? 1000 : -1;
}

static void check_clock(struct supervisor *s)
{
	uint64_t now = monotonic_us();
	struct err e;

	if (now - s->last_look_us > LOOK_US) {
		s->last_look_us = now;
		if (!waiting(s))
			pool_trim(&s->pool, s->options->pool);
		if (pool_leased(&s->pool) + sessions_check(&s->sessions, now) > 0)
			s->last_request_us = now;
	}
	if (s->options->idle_exit_ms && now - s->last_request_us > s->options->idle_exit_ms * 1000)
		s->stop = true;
	if (s->nursery.state == NURSERY_NONE && now - s->nursery.started_us > RESTART_US &&
	    start_nursery(s, &e))
		s->nursery.state = NURSERY_NONE;
	/* Cells that die as they are made: something is wrong with the nursery itself. */
	if (s->pool.failed_in_a_row > MAX_FAILURES) {
		if (s->call_error.kind == ERR_NONE)
			err_set(&s->call_error, ERR_SYSTEM, "the nursery makes no cell that lives");
		e = s->call_error;
		s->call_error.kind = ERR_NONE;
		s->pool.failed_in_a_row = 0;
		nursery_failed(s, &e);
	}
	if (pool_ready(&s->pool) >= s->options->pool) {
		s->was_ready = true;
		tell_ready(s, "ready");
	}
}

static void turn(struct supervisor *s, struct pollfd *slots)
{
	unsigned count = build_slots(s, slots);
	struct signalfd_siginfo info;

	poll(slots, count, timeout_ms(s));
	if (slots[SLOT_SIGNAL].revents &&
	    read(s->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		s->stop = true;
	attend_all(s, slots);
	if (slots[SLOT_CALLS].revents || slots[SLOT_NURSERY].revents || slots[SLOT_OUT].revents ||
	    slots[SLOT_ERR].revents)
		attend_nursery(s);
	if (slots[SLOT_LISTEN].revents)
		accept_clients(s);
	serve_waiting(s);
	fill_pool(s);
	check_clock(s);
}

static int loop(struct supervisor *s, struct err *e)
{
	struct pollfd *slots = calloc(SLOT_CELLS + POOL_MAX + MAX_CLIENTS, sizeof(*slots));

	if (!slots)
		abort();
	s->last_request_us = monotonic_us();
	if (start_nursery(s, e)) {
		free(slots);
		return -1;
	}
	while (!s->stop)
		turn(s, slots);
	free(slots);
	*e = s->why;
	return s->why.kind != ERR_NONE && !s->was_ready ? -1 : 0;
}

/* A few for each cell and each client: as many as we may. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int supervisor_run(const struct supervisor_options *options, struct err *e)
{
	struct supervisor *s = calloc(1, sizeof(*s));
	auto_fd int lock_fd = -1;
	struct sandbox_spec defaults;
	char line[600];
	int bad;

	if (!s)
		abort();
	s->options = options;
	s->ready_fd = options->ready_fd;
	s->listen_fd = options->listen_fd;
	s->signal_fd = -1;
	raise_descriptor_limit();
	/* As for a run: programs start at the normal priority. Lifting a "nice" takes root. */
	if (geteuid() == 0 || getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
	spec_init(&defaults);
	bad = spec_finish(&defaults, e);
	s->pool.limits = defaults.limits;
	bad = bad || pool_init(&s->pool, e) || watch_signals(&s->signal_fd, e) ||
	      (s->listen_fd < 0 && runtime_dir_listen(&s->listen_fd, &lock_fd, e)) || loop(s, e);
	sessions_fini(&s->sessions);
	lose_nursery(s);
	pool_fini(&s->pool);
	if (lock_fd >= 0)
		runtime_dir_unlink();
	own_close(&s->listen_fd);
	own_close(&lock_fd);
	if (bad)
		tell_ready(s, err_string(e, line, sizeof(line)));
	/* Last: for who asked us to stop, the end of the connection is the end of everything. */
	while (s->client_count)
		drop_client(s, s->client_count - 1);
	own_close(&s->signal_fd);
	own_close(&s->ready_fd);
	spec_fini(&defaults);
	free(s);
	return bad;
}
