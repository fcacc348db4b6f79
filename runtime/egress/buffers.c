/*
 * buffers - how much of the kernel's memory a connection may hold.
 */
#include "egress/buffers.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "host/omit.h"

/* What is on its way counts to the receiver, who said that he has room (TCP_NOTSENT_LOWAT, tcp(7)).
 */
void buffers_bound(int fd, bool is_wide)
{
	const int bytes = BUFFERS_BYTES;
	const int unsent = is_wide ? BUFFERS_WIDE_BYTES : BUFFERS_BYTES;

	if (host_omits("egress-buffers"))
		return;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof(unsent));
	if (!is_wide)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}
