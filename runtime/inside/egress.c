/*
 * egress - make sockets of the sandbox's network namespace for glovebox-egress.
 */
#include "inside/egress.h"

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ipv6.h>
#include <linux/netlink.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "inside/confine.h"
#include "inside/sys.h"

#define DNS_PORT 53
#define BACKLOG  1024 /* connections not accepted yet */
#define MOST_FDS (3 + EGRESS_INSIDE_PORTS + EGRESS_POOL)

struct egress_made {
	struct egress_sockets told;
	int fds[MOST_FDS];
	unsigned count;
};

static long egress_set(int fd, int level, int name, int value)
{
	return sys5(__NR_setsockopt, fd, level, name, &value, sizeof(value));
}

static uint16_t egress_network_order(uint16_t port)
{
	return (uint16_t)(port << 8 | port >> 8);
}

/*
 * Bind the wildcard address of both families, without SO_REUSEADDR, which would let others bind
 * beside us.
 */
static long egress_bind(int fd, bool is_v4, uint16_t port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = egress_network_order(port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = egress_network_order(port)};
	long n;

	if (is_v4)
		return sys3(__NR_bind, fd, &v4, sizeof(v4));
	n = egress_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	return n < 0 ? n : sys3(__NR_bind, fd, &v6, sizeof(v6));
}

/* *m owns the socket, and closes it. Returns the descriptor, or -1. */
static int egress_make(struct egress_made *m, int family, int type, int protocol, struct err *e)
{
	long fd = sys3(__NR_socket, family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);

	if (fd < 0)
		return inside_fail(e, fd, "make a socket for the network", NULL);
	m->fds[m->count++] = (int)fd;
	return (int)fd;
}

static int egress_make_at(struct egress_made *m, int type, uint16_t port, struct err *e)
{
	const bool is_v4 = m->told.is_v4;
	int fd = egress_make(m, is_v4 ? AF_INET : AF_INET6, type, 0, e);
	long n;

	if (fd < 0)
		return -1;
	n = egress_bind(fd, is_v4, port);
	if (n >= 0 && type == SOCK_STREAM)
		n = sys2(__NR_listen, fd, BACKLOG);
	if (n >= 0 && type == SOCK_DGRAM)
		n = is_v4 ? egress_set(fd, IPPROTO_IP, IP_PKTINFO, 1)
			  : egress_set(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
	return n < 0 ? inside_fail(e, n, "listen in the sandbox's network", NULL) : 0;
}

static bool egress_lacks_v6(void)
{
	long fd = sys3(__NR_socket, AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		sys_close((int)fd);
	return fd == -EAFNOSUPPORT;
}

static int egress_make_all(const struct inside_plan *plan, struct egress_made *m, struct err *e)
{
	if (plan->egress_port_count > EGRESS_INSIDE_PORTS || plan->egress_pool_count > EGRESS_POOL)
		return inside_fail(e, -EINVAL, "make so many sockets", NULL);
	m->told.has_stub = plan->egress_has_stub;
	m->told.port_count = plan->egress_port_count;
	m->told.pool_count = plan->egress_pool_count;
	m->told.is_v4 = egress_lacks_v6();
	if (egress_make(m, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE, e) < 0)
		return -1;
	if (plan->egress_has_stub && (egress_make_at(m, SOCK_DGRAM, DNS_PORT, e) ||
				      egress_make_at(m, SOCK_STREAM, DNS_PORT, e)))
		return -1;
	for (uint32_t i = 0; i < plan->egress_port_count; i++) {
		m->told.ports[i] = plan->egress_ports[i];
		if (egress_make_at(m, SOCK_STREAM, plan->egress_ports[i], e))
			return -1;
	}
	for (uint32_t i = 0; i < plan->egress_pool_count; i++) {
		if (egress_make(m, AF_INET, SOCK_STREAM, 0, e) < 0)
			return -1;
	}
	return 0;
}

static long egress_send(int socket, struct egress_made *m)
{
	struct iovec iov = {.iov_base = &m->told, .iov_len = sizeof(m->told)};
	union {
		char bytes[CMSG_SPACE(MOST_FDS * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = CMSG_SPACE(m->count * sizeof(int))};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(m->count * sizeof(int));
	for (unsigned i = 0; i < m->count; i++)
		((int *)CMSG_DATA(header))[i] = m->fds[i];
	return sys3(__NR_sendmsg, socket, &message, MSG_NOSIGNAL);
}

/*
 * The kernel counts the descriptors in flight of all of a user's processes, and refuses more once
 * they exceed the sender's soft limit (unix(7), ETOOMANYREFS); so messages of other processes would
 * make ours fail. Raise the limit for this one message.
 */
static long egress_send_past_others(int socket, struct egress_made *m)
{
	struct rlimit before;
	struct rlimit raised;
	long n = egress_send(socket, m);

	if (n != -ETOOMANYREFS || sys4(__NR_prlimit64, 0, RLIMIT_NOFILE, NULL, &before) < 0)
		return n;
	raised = (struct rlimit){before.rlim_max, before.rlim_max};
	if (sys4(__NR_prlimit64, 0, RLIMIT_NOFILE, &raised, NULL) < 0)
		return n;
	n = egress_send(socket, m);
	(void)sys4(__NR_prlimit64, 0, RLIMIT_NOFILE, &before, NULL);
	return n;
}

/*
 * Wait until glovebox-egress has set up the routes. It ends with the process that started this
 * sandbox, so this wait is bounded.
 */
static long egress_await(int socket)
{
	char done;
	long n;

	do
		n = sys_read(socket, &done, sizeof(done));
	while (n == -EINTR);
	return n;
}

static int egress_hand_over(int socket, struct egress_made *m, struct err *e)
{
	long n = egress_send_past_others(socket, m);

	if (n >= 0)
		n = egress_await(socket);
	if (n == 0 || n == -EPIPE || n == -ECONNRESET)
		return inside_fail(e, 0, "the process for its network ended", NULL);
	return n < 0 ? inside_fail(e, n, "hand over the sockets of the network", NULL) : 0;
}

int confine_egress(const struct inside_plan *plan, struct err *e)
{
	struct egress_made made = {.count = 0};
	int bad;

	if (plan->egress_fd < 0)
		return 0;
	bad = egress_make_all(plan, &made, e) || egress_hand_over(plan->egress_fd, &made, e);
	for (unsigned i = 0; i < made.count; i++)
		sys_close(made.fds[i]);
	sys_close(plan->egress_fd);
	return bad ? -1 : 0;
}
