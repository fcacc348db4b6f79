/*
 * loopback - make a network namespace, and bring `lo` up in it.
 *
 * The namespace contains nothing else, and the program gets no capability to add to it. Bringing lo
 * up assigns 127.0.0.1/8 and ::1 (netdevice(7)).
 */
#include <linux/sched.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "inside/confine.h"
#include "inside/sys.h"

/*
 * Not in clone3: it alone costs as much as the others together, and here it overlaps with the
 * monitor's work.
 */
int confine_net_ns(const struct inside_plan *plan, struct err *e)
{
	long n = sys1(__NR_unshare, CLONE_NEWNET);

	(void)plan;
	return n < 0 ? inside_fail_namespaces(e, n, CLONE_NEWUSER | CLONE_NEWNET,
					      "unshare the network namespace")
		     : 0;
}

int confine_loopback(const struct inside_plan *plan, struct err *e)
{
	struct ifreq request = {.ifr_name = "lo"};
	long fd = sys3(__NR_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	long n;

	(void)plan;
	if (fd < 0)
		return inside_fail(e, fd, "open a socket for", "lo");
	request.ifr_flags = IFF_UP | IFF_RUNNING;
	n = sys3(__NR_ioctl, fd, SIOCSIFFLAGS, &request);
	sys_close((int)fd);
	return n < 0 ? inside_fail(e, n, "bring up", "lo") : 0;
}
