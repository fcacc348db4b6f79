/*
 * clients - who asks the warm supervisor for something, and what they get.
 */
#include "cell/clients.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/own.h"
#include "cell/wire.h"

#define CLIENT_WAIT_US (SESSION_WAIT_MS * 1000ull)
#define DEAF_US        50000

unsigned clients_waiting(const struct supervisor *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->client_count; i++)
		n += s->clients[i].waits;
	return n;
}

void clients_drop(struct supervisor *s, unsigned index)
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

void clients_accept(struct supervisor *s)
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

/* What a cell has that the plan of a run depends on. */
static void describe_cell(const struct supervisor *s, const struct cell *c, struct buf *json)
{
	const struct idmap *map = &s->nursery.sandbox.map;
	bool own = c && c->uid;

	buf_printf(json, "{\"group\":\"%s\",\"uid\":%u,\"gid\":%u,\"nofile\":%llu}",
		   c ? c->cgroup.name : "", own ? c->uid : map->host_uid,
		   own ? c->uid : map->host_gid, descriptor_limit());
}

/* Hand a cell over; from here on it is the client's. */
static bool serve(struct supervisor *s, int client_fd)
{
	struct cell *c = pool_take(&s->pool);
	auto_buf struct buf json = {0};
	int fds[3 + CGROUP_MAX_FDS];
	unsigned count = 3;
	struct err e;

	if (!c)
		return false;
	fds[0] = c->pidfd;
	fds[1] = c->control;
	fds[2] = c->start;
	for (unsigned i = 0; i < c->cgroup.count; i++)
		fds[count++] = c->cgroup.dirs[i];
	describe_cell(s, c, &json);
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
		   pool_under_way(&s->pool), clients_waiting(s), (unsigned long long)s->served,
		   (unsigned long long)s->pool.made, (unsigned long long)s->pool.failed,
		   (unsigned long long)s->restarts, pool_leased(&s->pool),
		   sessions_check(&s->sessions, monotonic_us()));
	(void)wire_send(fd, json.data, json.length, NULL, 0, &e);
}

/* For who only wants to know; a cell may still have to be made. */
static void tell_fit(struct supervisor *s, int fd)
{
	auto_buf struct buf json = {0};
	struct err e;

	describe_cell(s, s->pool.count ? s->pool.cells[0] : NULL, &json);
	(void)wire_send(fd, json.data, json.length, NULL, 0, &e);
}

/* The image is the first line of a key. */
static void refuse_key(const struct supervisor *s, int fd, const char *key)
{
	const char *ours = buf_string(&s->nursery.key);
	size_t image = strcspn(ours, "\n");
	char text[400];

	if (strncmp(key, ours, image + 1) != 0)
		snprintf(text, sizeof(text),
			 "the warm Python is of another image, %.200s (glovebox warm stop, then "
			 "start --image)",
			 s->options->nursery.image);
	else
		snprintf(text, sizeof(text),
			 "the warm Python is of another user, program or environment");
	answer(fd, "refused", text);
}

/* true: answered; false: it waits for a cell. */
static bool request_cell(struct supervisor *s, struct client *client, const struct json *request)
{
	const struct buf *ours = &s->nursery.key;
	const char *key = NULL;
	const char *op = json_string_at(request, "op");
	struct err e;

	if (json_get_string(request, "key", &key, &e) || !key)
		answer(client->fd, "refused", "the request has no key");
	else if (s->nursery.state == NURSERY_NONE)
		answer(client->fd, "refused",
		       "the nursery is being restarted: try again in a second");
	else if (strcmp(key, buf_string(ours)) != 0)
		refuse_key(s, client->fd, key);
	else if (!strcmp(op, "fit"))
		tell_fit(s, client->fd);
	else
		return serve(s, client->fd) || !(client->waits = true);
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

	/* Before who has lost one with it asks why. */
	if (!strcmp(op, "return") && nursery_has_hung_up(&s->nursery))
		sessions_lose(&s->sessions);
	busy = sessions_request(&s->sessions, client->number, op, request, m, &text, fds, &count);

	*known = busy >= 0;
	if (busy > 0) {
		free(client->wants);
		client->wants = strdup(buf_string(&m->text));
		client->wait_us = json_uint_at(request, "wait_ms", SESSION_WAIT_MS) * 1000;
		return false;
	}
	if (busy < 0)
		return true;
	client->borrows = count > 0;
	if (!wire_send(client->fd, text.data, text.length, fds, count, &e))
		return !client->borrows;
	/* It has given up, and touched nothing. */
	if (client->borrows)
		sessions_take_back(&s->sessions, client->number);
	return true;
}

static bool stop(struct supervisor *s, struct client *client)
{
	auto_buf struct buf text = {0};
	struct err e;

	s->stop = true;
	client->borrows = true; /* the connection stays until the end */
	buf_printf(&text, "{\"running\":%u,\"sessions\":%u}", pool_leased(&s->pool),
		   sessions_check(&s->sessions, monotonic_us()));
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
	if (!strcmp(op, "cell") || !strcmp(op, "fit"))
		return request_cell(s, client, request);
	done = request_session(s, client, op, request, m, &known);
	if (known)
		return done;
	if (!strcmp(op, "status"))
		tell_status(s, client->fd);
	else if (!strcmp(op, "alive"))
		(void)wire_send(client->fd, "{}", 2, NULL, 0, &e);
	else if (!strcmp(op, "stop"))
		return stop(s, client);
	return true;
}

/* A client that waits and hangs up, or sends a second request, is let go. */
bool clients_attend(struct supervisor *s, unsigned index)
{
	struct client *client = &s->clients[index];
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
static bool ask_again(struct supervisor *s, struct client *c)
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

static bool serve_wish(struct supervisor *s, struct client *c, uint64_t now)
{
	if (ask_again(s, c))
		return true;
	if (!c->wants || now - c->since_us < c->wait_us)
		return false;
	answer(c->fd, "error",
	       "the session is busy with another call: try again later, or end it "
	       "(glovebox session rm)");
	return true;
}

/* Returns true when the connection is done with. */
static bool serve_one(struct supervisor *s, struct client *c, uint64_t now)
{
	bool late = now - c->since_us > CLIENT_WAIT_US;

	if (c->borrows)
		return false;
	if (c->wants)
		return serve_wish(s, c, now);
	if (!c->waits)
		return late; /* connected and said nothing */
	if (s->nursery.state == NURSERY_NONE)
		answer(c->fd, "refused", "the nursery is being restarted: try again in a second");
	else if (late)
		answer(c->fd, "busy", "no warm cell came free in time: try again");
	else
		return serve(s, c->fd);
	return true;
}

/* In the order of their coming as far as it matters: nobody is left behind. */
void clients_serve(struct supervisor *s)
{
	uint64_t now = monotonic_us();

	for (unsigned i = 0; i < s->client_count;) {
		if (serve_one(s, &s->clients[i], now))
			clients_drop(s, i);
		else
			i++;
	}
}
