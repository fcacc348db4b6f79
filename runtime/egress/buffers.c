/*
 * buffers - bound the kernel memory that a connection may hold.
 */
#include "egress/buffers.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "host/omit.h"

/*
 * The receiver bounds the bytes in flight by its window, so bound only the unsent ones
 * (TCP_NOTSENT_LOWAT, tcp(7)).
 */
void buffers_bound(int fd, enum buffers which)
{
	const int bytes = which == BUFFERS_NEAR ? BUFFERS_NEAR_BYTES : BUFFERS_BYTES;
	const int unsent = which == BUFFERS_LEAST ? BUFFERS_BYTES : BUFFERS_WIDE_BYTES;

	if (host_omits("egress-buffers"))
		return;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof(unsent));
	if (which != BUFFERS_FAR)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}
