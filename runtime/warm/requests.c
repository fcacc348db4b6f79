/*
 * requests - serve each request to the warm supervisor.
 */
#include "warm/requests_parts.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loop/fd.h"

#define CELL_WAIT_US (SESSION_WAIT_MS * 1000ull)

void request_refuse(int fd, const struct err *e)
{
	auto_buf struct buf text = {0};
	struct err ignored;

	op_answer_write_error(e, &text);
	(void)wire_send(fd, text.data, text.length, NULL, 0, &ignored);
}

int requests_answer(const struct client *c, const void *fields, const int *fds, unsigned fd_count)
{
	auto_buf struct buf text = {0};
	struct err ignored;

	op_answer_write(c->request->op, fields, &text);
	return wire_send(c->fd, text.data, text.length, fds, fd_count, &ignored);
}

enum outcome requests_refuse(const struct client *c, const struct err *e)
{
	request_refuse(c->fd, e);
	return OUTCOME_DONE;
}

bool requests_is_late(const struct client *c, uint64_t wait_us, uint64_t now_us)
{
	return now_us - c->since_us >= wait_us;
}

/* -- the supervisor itself ------------------------------------------------------------------- */

static enum outcome requests_serve_alive(struct supervisor *s, struct client *c, uint64_t now_us)
{
	(void)s;
	(void)now_us;
	(void)requests_answer(c, NULL, NULL, 0);
	return OUTCOME_DONE;
}

static enum outcome requests_serve_status(struct supervisor *s, struct client *c, uint64_t now_us)
{
	static const char *const states[] = {[NURSERY_NONE] = "restarting",
					     [NURSERY_STARTING] = "starting",
					     [NURSERY_READY] = "ready"};
	const struct status_answer status = {
		.pid = (uint64_t)getpid(),
		.state = s->nursery.cold[0] ? "cold" : states[s->nursery.state],
		.image = s->options->nursery.image,
		.preload = s->options->nursery.preload,
		.left_out = s->nursery.left_out,
		.python = s->nursery.version,
		.pool = s->options->pool,
		.ready = pool_ready(&s->pool),
		.under_way = pool_under_way(&s->pool),
		.waiting = clients_waiting(s),
		.served = s->served,
		.made = s->pool.made,
		.failed = s->pool.failed,
		.restarts = s->restarts,
		.running = pool_leased(&s->pool),
		.sessions = sessions_check(&s->sessions, now_us),
		.shared_ids = s->pool.ids.lock_fd < 0,
	};

	(void)requests_answer(c, &status, NULL, 0);
	return OUTCOME_DONE;
}

static enum outcome requests_serve_ready(struct supervisor *s, struct client *c, uint64_t now_us)
{
	const struct ready_answer ready = {s->nursery.state == NURSERY_STARTING};

	if (ready.starting && !requests_is_late(c, c->request->ready.wait_ms * 1000, now_us))
		return OUTCOME_WAITS;
	(void)requests_answer(c, &ready, NULL, 0);
	return OUTCOME_DONE;
}

/* The connection is closed when we exit, which tells the client that everything has ended. */
static enum outcome requests_serve_stop(struct supervisor *s, struct client *c, uint64_t now_us)
{
	const struct stop_answer stop = {pool_leased(&s->pool),
					 sessions_check(&s->sessions, now_us)};

	s->stop = true;
	c->stays = true;
	(void)requests_answer(c, &stop, NULL, 0);
	return OUTCOME_STAYS;
}

/* -- cells ----------------------------------------------------------------------------------- */

static uint64_t requests_descriptor_limit(void)
{
	struct rlimit limit = {0};

	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_max;
}

/* Describe a cell for the run's plan. */
static struct cell_answer requests_describe_cell(const struct supervisor *s,
						 const struct cell *cell)
{
	const struct idmap *map = &s->nursery.sandbox.map;
	bool own = cell && cell->uid;
	bool is_mapped = own && s->nursery.sandbox.users >= 0;

	return (struct cell_answer){.group = cell ? cell->cgroup.ref.name : "",
				    .uid = own ? cell->uid : map->host_uid,
				    .gid = own ? cell->uid : map->host_gid,
				    .nofile = requests_descriptor_limit(),
				    .outdated = nursery_is_outdated(&s->nursery),
				    .users = is_mapped};
}

/* Hand over a cell, which the client owns from here on. */
static void requests_hand_over(struct supervisor *s, const struct client *c, struct cell *cell)
{
	const struct cell_answer described = requests_describe_cell(s, cell);
	int fds[4 + CGROUP_MAX_FDS] = {cell->pidfd, cell->control, cell->start};
	unsigned count = 3;

	for (unsigned i = 0; i < cell->cgroup.ref.count; i++)
		fds[count++] = cell->cgroup.ref.dirs[i];
	if (described.users)
		fds[count++] = s->nursery.sandbox.users;
	if (requests_answer(c, &described, fds, count)) {
		pool_drop(&s->pool, cell);
		return;
	}
	pool_lease(&s->pool, cell);
	s->served++;
}

/* Compare the image, the first line of a key. */
static int requests_refuse_key(const struct supervisor *s, const char *key, struct err *e)
{
	const char *ours = buf_string(&s->nursery.key);
	size_t image = strcspn(ours, "\n");

	if (strncmp(key, ours, image + 1) != 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "the warm Python is of another image, %.200s (glovebox warm stop, "
			       "then start --image)",
			       s->options->nursery.image);
	return err_set(e, ERR_UNSUPPORTED,
		       "the warm Python is of another user, program or environment");
}

/* ERR_UNSUPPORTED: the run must start cold. */
static int requests_check_key(const struct supervisor *s, const char *key, struct err *e)
{
	if (s->nursery.state == NURSERY_NONE)
		return err_set(e, ERR_UNSUPPORTED, "%s",
			       s->nursery.cold[0]
				       ? s->nursery.cold
				       : "the nursery is being restarted: try again in a second");
	if (strcmp(key, buf_string(&s->nursery.key)) != 0)
		return requests_refuse_key(s, key, e);
	return 0;
}

static enum outcome requests_wait_for_cell(const struct client *c, uint64_t now_us)
{
	struct err e;

	if (!requests_is_late(c, CELL_WAIT_US, now_us))
		return OUTCOME_WAITS;
	err_set(&e, ERR_BUSY, "no warm cell came free in time: try again");
	return requests_refuse(c, &e);
}

static enum outcome requests_serve_cell(struct supervisor *s, struct client *c, uint64_t now_us)
{
	struct cell *cell;
	struct err e;

	if (requests_check_key(s, c->request->cell.key, &e))
		return requests_refuse(c, &e);
	cell = pool_take(&s->pool, c->request->cell.as_caller);
	if (cell) {
		requests_hand_over(s, c, cell);
		return OUTCOME_DONE;
	}
	return pool_is_broken(&s->pool, &e) ? requests_refuse(c, &e)
					    : requests_wait_for_cell(c, now_us);
}

/* Answer --explain: take no cell; none need be ready yet. */
static enum outcome requests_serve_fit(struct supervisor *s, struct client *c, uint64_t now_us)
{
	struct cell_answer described;
	struct err e;

	if (requests_check_key(s, c->request->cell.key, &e))
		return requests_refuse(c, &e);
	if (s->nursery.state == NURSERY_STARTING)
		return requests_wait_for_cell(c, now_us);
	described = requests_describe_cell(s, pool_any(&s->pool, c->request->cell.as_caller));
	(void)requests_answer(c, &described, NULL, 0);
	return OUTCOME_DONE;
}

enum outcome request_serve(struct supervisor *s, struct client *c, uint64_t now_us)
{
	static enum outcome (*const serve[OP_COUNT])(struct supervisor *, struct client *,
						     uint64_t) = {
		[OP_ALIVE] = requests_serve_alive,
		[OP_STATUS] = requests_serve_status,
		[OP_READY] = requests_serve_ready,
		[OP_STOP] = requests_serve_stop,
		[OP_CELL] = requests_serve_cell,
		[OP_FIT] = requests_serve_fit,
		[OP_KEEP] = requests_serve_keep,
		[OP_BORROW] = requests_serve_borrow,
		[OP_RETURN] = requests_serve_return,
		[OP_DROP] = requests_serve_drop,
		[OP_SESSIONS] = requests_serve_sessions,
		[OP_CHECKPOINTS] = requests_serve_checkpoints,
		[OP_LIFE] = requests_serve_life,
		[OP_NETWORK] = requests_serve_network,
		[OP_DOOR] = requests_serve_door,
	};

	return serve[c->request->op](s, c, now_us);
}
