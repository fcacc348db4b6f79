/*
 * sent - tell whether a connection's peer has received everything.
 */
#include "egress/sent.h"

#include <linux/tcp.h> /* glibc's has no tcpi_notsent_bytes */
#include <netinet/in.h>
#include <sys/socket.h>

#define SENT_TCP_CLOSE 7 /* include/net/tcp_states.h */

bool sent_is_all(int fd)
{
	struct tcp_info info = {0};
	socklen_t length = sizeof(info);

	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) ||
	       info.tcpi_state == SENT_TCP_CLOSE ||
	       (!info.tcpi_unacked && !info.tcpi_notsent_bytes);
}
