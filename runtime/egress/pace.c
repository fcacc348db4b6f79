/*
 * pace - send inside as fast as the program reads.
 */
#include "egress/pace.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

/* Every kernel has it, and by default allows every process to choose it. */
static const char pace_plain[] = "reno";

void pace_none(int fd)
{
	(void)setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, pace_plain, sizeof(pace_plain) - 1);
}
