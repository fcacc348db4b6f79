/*
 * pool - cells that are made and wait for a request.
 */
#include "cell/pool.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/message.h"
#include "base/own.h"
#include "host/spawn.h"
#include "inside/plan.h"

static bool is_ready(const struct cell *c)
{
	return c->pidfd >= 0;
}

unsigned pool_ready(const struct pool *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->count; i++)
		n += is_ready(p->cells[i]);
	return n;
}

unsigned pool_under_way(const struct pool *p)
{
	return p->count - pool_ready(p);
}

static struct cell *take_at(struct pool *p, unsigned index)
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
	p->ids = idblock_none();
	return geteuid() == 0 ? idblock_open(&p->ids, e) : 0;
}

static int take_id(struct pool *p, uint32_t *out, struct err *e)
{
	*out = 0;
	if (p->ids.lock_fd < 0)
		return 0;
	/* In turn, so that an id rests for long before it is somebody else's. */
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

static void free_id(struct pool *p, uint32_t id)
{
	if (id)
		p->id_taken[id - p->ids.first] = false;
}

/* -- cells -------------------------------------------------------------------------------- */

static void release(struct cell *c)
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

	own_close(&c->control); /* one that is not ready yet sees this, and ends */
	ending.pidfd = take_fd(&c->pidfd);
	if (c->cgroup.layout)
		ending_take_group(&ending, &c->cgroup);
	endings_add(p->endings, &ending);
	free_id(p, c->uid);
	release(c);
}

static void group_id(char *out, size_t size)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		abort();
	snprintf(out, size, "cell-%d-%016llx", (int)getpid(), (unsigned long long)random);
}

static int call(struct pool *p, struct nursery *n, struct cell *c, bool awaited, struct err *e)
{
	const struct idmap *map = &n->sandbox.map;
	auto_fd int control = -1;
	auto_fd int start = -1;
	struct cell_call call = {.uid = map->inside_uid,
				 .gid = map->inside_gid,
				 .outer_uid = c->uid ? c->uid : map->inside_uid,
				 .outer_gid = c->uid ? c->uid : map->inside_gid,
				 .is_awaited = awaited};
	int fds[2 + CGROUP_MAX_FDS];
	char id[64];

	group_id(id, sizeof(id));
	if (message_pair(SOCK_SEQPACKET, &c->control, &control) ||
	    message_pair(SOCK_SEQPACKET, &c->start, &start) ||
	    message_name_senders(c->control, true))
		return err_sys(e, "make the sockets of a cell");
	if (cgroup_open(id, &p->limits, &c->cgroup, e) || cgroup_open_tasks(&c->cgroup, e))
		return -1;
	call.cgroup_count = c->cgroup.count;
	fds[0] = control;
	fds[1] = start;
	memcpy(fds + 2, c->cgroup.tasks, call.cgroup_count * sizeof(fds[0]));
	return nursery_call(n, &call, fds, 2 + call.cgroup_count, e);
}

int pool_call(struct pool *p, struct nursery *n, bool awaited, struct err *e)
{
	struct cell *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->control = c->start = c->pidfd = c->mounts = c->cgroup.oom_fd = -1;
	if (p->count == POOL_MAX || take_id(p, &c->uid, e) || call(p, n, c, awaited, e)) {
		pool_drop(p, c);
		return -1;
	}
	p->cells[p->count++] = c;
	return 0;
}

static void drop(struct pool *p, unsigned index)
{
	p->failed++;
	p->failed_in_a_row++;
	pool_drop(p, take_at(p, index));
}

/* One report and the pid of who sent it, as we know it. 1, or 0 when there is none. */
static int receive(const struct cell *c, struct report *r, pid_t *sender)
{
	struct message_extra extra;
	ssize_t n = message_receive(c->control, r, sizeof(*r), MSG_DONTWAIT, &extra);

	message_drop(&extra);
	*sender = extra.sender;
	return n == (ssize_t)sizeof(*r) && extra.sender > 0;
}

/*
 * Its pid 1 is there and locked down. Its pid is held by its being alive: if the socket
 * has not ended after the descriptor was opened, it was the right one.
 */
static int become_ready(struct cell *c, pid_t pid)
{
	struct pollfd ended = {c->control, 0, 0};
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	c->mounts = open(path, O_RDONLY | O_CLOEXEC);
	c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (c->pidfd < 0 || poll(&ended, 1, 0) != 0)
		return -1;
	return message_name_senders(c->control, false);
}

bool pool_attend(struct pool *p, unsigned index)
{
	struct cell *c = p->cells[index];
	struct report r = {0};
	pid_t pid;

	if (!is_ready(c) && receive(c, &r, &pid) && r.kind == REPORT_PARTED &&
	    !become_ready(c, pid)) {
		p->made++;
		p->failed_in_a_row = 0;
		return false;
	}
	drop(p, index); /* it has nothing else to say before a request */
	return true;
}

void pool_lease(struct pool *p, struct cell *c)
{
	if (p->leased_count == p->leased_capacity) {
		p->leased_capacity = p->leased_capacity ? 2 * p->leased_capacity : 64;
		p->leased = realloc(p->leased, p->leased_capacity * sizeof(*p->leased));
		if (!p->leased)
			abort();
	}
	p->leased[p->leased_count++] =
		(struct leased){take_fd(&c->pidfd), take_fd(&c->mounts), c->uid};
	release(c);
}

static void end_lease(struct pool *p, unsigned index)
{
	free_id(p, p->leased[index].uid);
	close(p->leased[index].pidfd);
	own_close(&p->leased[index].mounts);
	p->leased[index] = p->leased[--p->leased_count];
}

unsigned pool_leased(struct pool *p)
{
	auto_free struct pollfd *ended = calloc(p->leased_count + 1, sizeof(*ended));

	if (!ended)
		abort();
	for (unsigned i = 0; i < p->leased_count; i++)
		ended[i] = (struct pollfd){p->leased[i].pidfd, POLLIN, 0};
	poll(ended, p->leased_count, 0);
	for (unsigned i = p->leased_count; i-- > 0;) {
		if (ended[i].revents)
			end_lease(p, i);
	}
	return p->leased_count;
}

struct cell *pool_take(struct pool *p)
{
	for (unsigned i = 0; i < p->count; i++) {
		if (is_ready(p->cells[i]))
			return take_at(p, i);
	}
	return NULL;
}

void pool_trim(struct pool *p, unsigned wanted)
{
	struct cell *c = pool_ready(p) > wanted ? pool_take(p) : NULL;

	if (c)
		pool_drop(p, c);
}

void pool_empty(struct pool *p)
{
	while (p->count)
		pool_drop(p, take_at(p, p->count - 1));
	while (p->leased_count)
		end_lease(p, p->leased_count - 1);
	free(p->leased);
	p->leased = NULL;
	p->leased_capacity = 0;
}

void pool_fini(struct pool *p)
{
	idblock_close(&p->ids);
}
