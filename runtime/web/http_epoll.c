/*
 * http_epoll - replaces epoll_ctl(2) for libmicrohttpd, with room for every connection.
 *
 * The library closes a connection that epoll_ctl(2) refuses; its other modes need threads, or
 * descriptors below FD_SETSIZE. Its calls come here, because the linker prefers a function of the
 * program to libc's. http_daemon.c runs the library again while its set lacks room.
 */
#include <sys/epoll.h>

#include "base/epoll_set.h"

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): libc's are reserved */
int epoll_ctl(int set, int operation, int fd, struct epoll_event *event)
{
	return epoll_set_control(set, operation, fd, event);
}

int epoll_wait(int set, struct epoll_event *events, int most, int timeout_ms)
{
	return epoll_set_wait(set, events, most, timeout_ms);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
