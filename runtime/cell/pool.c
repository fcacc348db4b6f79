/*
 * pool - cells that are made and wait for a request.
 */
#include "cell/pool.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

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

void cell_free(struct cell *c, bool passed_on)
{
	struct child child = child_none();

	if (!passed_on) {
		child.adopted = true;
		child.pidfd = take_fd(&c->pidfd);
		own_close(&c->control);
		child_end(&child);
		cgroup_close(&c->cgroup);
	}
	cgroup_forget(&c->cgroup);
	own_close(&c->control);
	own_close(&c->start);
	own_close(&c->pidfd);
	free(c);
}

static void group_id(char *out, size_t size)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		abort();
	snprintf(out, size, "cell-%d-%016llx", (int)getpid(), (unsigned long long)random);
}

static int make_sockets(int *ours, int *theirs, struct err *e)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_sys(e, "make the sockets of a cell");
	*ours = pair[0];
	*theirs = pair[1];
	return 0;
}

static int call(struct pool *p, struct nursery *n, struct cell *c, struct err *e)
{
	auto_fd int control = -1;
	auto_fd int start = -1;
	const int on = 1;
	char id[64];

	group_id(id, sizeof(id));
	if (make_sockets(&c->control, &control, e) || make_sockets(&c->start, &start, e))
		return -1;
	if (setsockopt(c->control, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)))
		return err_sys(e, "ask for credentials");
	if (cgroup_open(id, &p->limits, &c->cgroup, e) || cgroup_open_tasks(&c->cgroup, e))
		return -1;
	return nursery_call(n, control, start, c->cgroup.tasks, c->cgroup.count, e);
}

int pool_call(struct pool *p, struct nursery *n, struct err *e)
{
	struct cell *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->control = c->start = c->pidfd = c->cgroup.oom_fd = -1;
	if (p->count == POOL_MAX || call(p, n, c, e)) {
		cell_free(c, false);
		return -1;
	}
	p->cells[p->count++] = c;
	return 0;
}

static void drop(struct pool *p, unsigned index)
{
	p->failed++;
	p->failed_in_a_row++;
	cell_free(take_at(p, index), false);
}

/* One report and the pid of who sent it, as we know it. 1, or 0 when there is none. */
static int receive(const struct cell *c, struct report *r, pid_t *sender)
{
	struct iovec body = {r, sizeof(*r)};
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control = {0};
	struct msghdr message = {.msg_iov = &body,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	ssize_t n = recvmsg(c->control, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *header = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	struct ucred who;

	if (n != (ssize_t)sizeof(*r) || !header || header->cmsg_type != SCM_CREDENTIALS)
		return 0;
	memcpy(&who, CMSG_DATA(header), sizeof(who));
	*sender = who.pid;
	return 1;
}

/*
 * Its pid 1 is there and locked down. Its pid is held by its being alive: if the socket
 * has not ended after the descriptor was opened, it was the right one.
 */
static int become_ready(struct cell *c, pid_t pid)
{
	const int off = 0;
	struct pollfd ended = {c->control, 0, 0};

	c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (c->pidfd < 0 || poll(&ended, 1, 0) != 0)
		return -1;
	return setsockopt(c->control, SOL_SOCKET, SO_PASSCRED, &off, sizeof(off));
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

void pool_lease(struct pool *p, int pidfd)
{
	if (p->leased_count == p->leased_capacity) {
		p->leased_capacity = p->leased_capacity ? 2 * p->leased_capacity : 64;
		p->leased = realloc(p->leased, p->leased_capacity * sizeof(*p->leased));
		if (!p->leased)
			abort();
	}
	p->leased[p->leased_count++] = pidfd;
}

unsigned pool_leased(struct pool *p)
{
	for (unsigned i = p->leased_count; i-- > 0;) {
		struct pollfd ended = {p->leased[i], POLLIN, 0};

		if (poll(&ended, 1, 0) == 0)
			continue;
		close(p->leased[i]);
		p->leased[i] = p->leased[--p->leased_count];
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

void pool_empty(struct pool *p)
{
	while (p->count)
		cell_free(take_at(p, p->count - 1), false);
	while (p->leased_count)
		close(p->leased[--p->leased_count]);
	free(p->leased);
	p->leased = NULL;
	p->leased_capacity = 0;
}
