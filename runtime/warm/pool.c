/*
 * pool - make cells in advance, and hand them over to requests.
 */
#include "warm/pool.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "base/random.h"
#include "inside/plan.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "net/message.h"

static bool pool_is_ready(const struct cell *c)
{
	return c->pidfd >= 0;
}

bool pool_has_kinds(const struct pool *p)
{
	return geteuid() != 0 && p->ids.lock_fd >= 0;
}

static bool pool_is_of(const struct pool *p, const struct cell *c, bool as_caller)
{
	return p->ids.lock_fd < 0 || (c->uid == 0) == as_caller;
}

unsigned pool_count(const struct pool *p, bool as_caller)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->count; i++)
		n += pool_is_of(p, p->cells[i], as_caller);
	return n;
}

static unsigned pool_ready_of(const struct pool *p, bool as_caller)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->count; i++)
		n += pool_is_ready(p->cells[i]) && pool_is_of(p, p->cells[i], as_caller);
	return n;
}

unsigned pool_ready(const struct pool *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->count; i++)
		n += pool_is_ready(p->cells[i]);
	return n;
}

unsigned pool_under_way(const struct pool *p)
{
	return p->count - pool_ready(p);
}

bool pool_is_broken(const struct pool *p, struct err *e)
{
	if (p->failed_in_a_row <= POOL_MAX_FAILURES && !p->is_stuck)
		return false;
	*e = p->why;
	if (p->is_stuck)
		err_set(e, ERR_LIMIT, "the nursery makes no cell any more");
	else if (p->why.kind == ERR_NONE)
		err_set(e, ERR_LIMIT, "the nursery makes no cell that lives");
	e->kind = ERR_LIMIT;
	err_prefix(e, "no warm cell can be had");
	return true;
}

static struct cell *pool_take_at(struct pool *p, unsigned index)
{
	struct cell *c = p->cells[index];

	p->count--;
	for (unsigned i = index; i < p->count; i++)
		p->cells[i] = p->cells[i + 1];
	return c;
}

/* -- ids ---------------------------------------------------------------------------------- */

int pool_init(struct pool *p, struct err *e)
{
	struct err why = {.kind = ERR_NONE};

	if (!idblock_open(&p->ids, &why))
		return 0;
	p->shared = why;
	if (geteuid())
		return 0;
	*e = why;
	return -1;
}

static int pool_take_id(struct pool *p, bool as_caller, uint32_t *out, struct err *e)
{
	*out = 0;
	if (p->ids.lock_fd < 0 || as_caller)
		return 0;
	/* In turn, so that an id is not reused for a long time. */
	for (unsigned i = 0; i < IDBLOCK_COUNT; i++) {
		uint32_t at = (p->ids_next + i) % IDBLOCK_COUNT;

		if (p->id_taken[at])
			continue;
		p->id_taken[at] = true;
		p->ids_next = at + 1;
		*out = p->ids.first + at;
		return 0;
	}
	return err_set(e, ERR_UNSUPPORTED, "all %u ids for cells are in use", IDBLOCK_COUNT);
}

static void pool_free_id(struct pool *p, uint32_t id)
{
	if (id)
		p->id_taken[id - p->ids.first] = false;
}

/* -- cells -------------------------------------------------------------------------------- */

static void pool_release(struct cell *c)
{
	cgroup_forget(&c->cgroup);
	own_close(&c->control);
	own_close(&c->start);
	own_close(&c->pidfd);
	own_close(&c->mounts);
	free(c);
}

void pool_drop(struct pool *p, struct cell *c)
{
	struct ending ending = ending_none();

	own_close(&c->control); /* a cell that is not ready yet notices this, and exits */
	ending.pidfd = take_fd(&c->pidfd);
	if (c->cgroup.layout)
		ending.group = cgroup_hand_over(&c->cgroup);
	endings_add(p->endings, &ending);
	pool_free_id(p, c->uid);
	pool_release(c);
}

static void pool_group_id(char *out, size_t size)
{
	uint64_t random = 0;

	random_bytes(&random, sizeof(random));
	snprintf(out, size, "cell-%d-%016llx", (int)getpid(), (unsigned long long)random);
}

static int pool_make_cell(struct pool *p, struct nursery *n, struct cell *c, struct err *e)
{
	const struct idmap *map = &n->sandbox.map;
	auto_fd int control = -1;
	auto_fd int start = -1;
	struct cell_call call = {.uid = map->inside_uid,
				 .gid = map->inside_gid,
				 .outer_uid = c->uid ? c->uid : map->inside_uid,
				 .outer_gid = c->uid ? c->uid : map->inside_gid};
	int fds[2 + CGROUP_MAX_FDS];
	char id[64];

#ifdef GLOVEBOX_TESTING
	const char *omit = getenv("GLOVEBOX_OMIT");

	snprintf(call.omit, sizeof(call.omit), "%s", omit ? omit : "");
#endif
	pool_group_id(id, sizeof(id));
	if (message_pair(SOCK_SEQPACKET, &c->control, &control) ||
	    message_pair(SOCK_SEQPACKET, &c->start, &start) ||
	    message_name_senders(c->control, true))
		return err_sys(e, "make the sockets of a cell");
	if (cgroup_open(id, &p->limits, &c->cgroup, e) || cgroup_open_tasks(&c->cgroup, e))
		return -1;
	call.cgroup_count = c->cgroup.task_count;
	fds[0] = control;
	fds[1] = start;
	memcpy(fds + 2, c->cgroup.tasks, call.cgroup_count * sizeof(fds[0]));
	return nursery_call(n, &call, fds, 2 + call.cgroup_count, e);
}

int pool_call(struct pool *p, struct nursery *n, bool as_caller)
{
	struct cell *c = own_zeroed(1, sizeof(*c));

	c->control = c->start = c->pidfd = c->mounts = c->cgroup.oom_fd = -1;
	p->why.kind = ERR_NONE;
	if (p->count == POOL_MAX)
		err_set(&p->why, ERR_LIMIT, "there are %d already", POOL_MAX);
	if (p->count == POOL_MAX || pool_take_id(p, as_caller, &c->uid, &p->why) ||
	    pool_make_cell(p, n, c, &p->why)) {
		pool_drop(p, c);
		p->failed_in_a_row++;
		return -1;
	}
	p->cells[p->count++] = c;
	return 0;
}

static void pool_drop_failed(struct pool *p, unsigned index)
{
	p->failed++;
	p->failed_in_a_row++;
	pool_drop(p, pool_take_at(p, index));
}

/* Take one report and its sender's pid, as we see it. 1; 0: none. */
static int pool_receive(const struct cell *c, struct report *r, pid_t *sender)
{
	struct message_extra extra;
	ssize_t n = message_receive(c->control, r, sizeof(*r), MSG_DONTWAIT, &extra);

	message_drop(&extra);
	*sender = extra.sender;
	return n == (ssize_t)sizeof(*r) && extra.sender > 0;
}

/*
 * Its pid 1 exists and is confined. If the socket has not ended after the pidfd was opened, that
 * process was still alive, so the pid had not been reused.
 */
static int pool_become_ready(struct cell *c, pid_t pid)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	c->mounts = open(path, O_RDONLY | O_CLOEXEC);
	c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (c->pidfd < 0 || fd_is_ready(c->control, 0))
		return -1;
	return message_name_senders(c->control, false);
}

bool pool_attend(struct pool *p, unsigned index)
{
	struct cell *c = p->cells[index];
	struct report r = {0};
	pid_t pid;

	if (!pool_is_ready(c) && pool_receive(c, &r, &pid) && r.kind == REPORT_PARTED &&
	    !pool_become_ready(c, pid)) {
		p->made++;
		p->failed_in_a_row = 0;
		p->is_stuck = false;
		return false;
	}
	pool_drop_failed(p, index); /* a cell reports nothing else before a request */
	return true;
}

void pool_lease(struct pool *p, struct cell *c)
{
	struct leased leased = {ending_none(), take_fd(&c->mounts), c->uid};

	if (p->leased_count == p->leased_capacity) {
		p->leased_capacity = p->leased_capacity ? 2 * p->leased_capacity : 64;
		p->leased = own_resize(p->leased, p->leased_capacity, sizeof(*p->leased));
	}
	leased.ending.pidfd = take_fd(&c->pidfd);
	ending_share_group(&leased.ending, &c->cgroup);
	p->leased[p->leased_count++] = leased;
	p->leased_at_us = monotonic_us();
	pool_release(c);
}

static void pool_end_lease(struct pool *p, unsigned index)
{
	struct leased *leased = &p->leased[index];

	pool_free_id(p, leased->uid);
	own_close(&leased->mounts);
	endings_take(p->endings, &leased->ending);
	*leased = p->leased[--p->leased_count];
}

void pool_keep(struct pool *p, const char *group)
{
	for (unsigned i = 0; i < p->leased_count; i++) {
		if (!strcmp(p->leased[i].ending.group.name, group))
			cgroup_ref_close(&p->leased[i].ending.group);
	}
}

unsigned pool_leased(struct pool *p)
{
	auto_free struct pollfd *ended = own_zeroed(p->leased_count + 1, sizeof(*ended));

	for (unsigned i = 0; i < p->leased_count; i++)
		ended[i] = (struct pollfd){p->leased[i].ending.pidfd, POLLIN, 0};
	fd_look(ended, p->leased_count);
	for (unsigned i = p->leased_count; i-- > 0;) {
		if (ended[i].revents)
			pool_end_lease(p, i);
	}
	return p->leased_count;
}

const struct cell *pool_any(const struct pool *p, bool as_caller)
{
	for (unsigned i = 0; i < p->count; i++) {
		if (pool_is_of(p, p->cells[i], as_caller))
			return p->cells[i];
	}
	return NULL;
}

struct cell *pool_take(struct pool *p, bool as_caller)
{
	for (unsigned i = 0; i < p->count; i++) {
		if (pool_is_ready(p->cells[i]) && pool_is_of(p, p->cells[i], as_caller))
			return pool_take_at(p, i);
	}
	return NULL;
}

void pool_trim(struct pool *p, unsigned wanted, bool as_caller)
{
	struct cell *c = pool_ready_of(p, as_caller) > wanted ? pool_take(p, as_caller) : NULL;

	if (c)
		pool_drop(p, c);
}

void pool_empty(struct pool *p)
{
	while (p->count)
		pool_drop(p, pool_take_at(p, p->count - 1));
	while (p->leased_count) /* they end with the nursery */
		pool_end_lease(p, p->leased_count - 1);
	free(p->leased);
	p->leased = NULL;
	p->leased_capacity = 0;
}

void pool_fini(struct pool *p)
{
	idblock_close(&p->ids);
}
