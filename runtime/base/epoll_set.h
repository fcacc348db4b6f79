/*
 * epoll_set - epoll(7) that goes on where the kernel has no room for another watch.
 *
 * The kernel counts the watches of all processes of a user id (fs.epoll.max_user_watches),
 * sandboxes among them where they have no ids of their own, and charges their memory to a control
 * group. An epoll set remembers what epoll_ctl(2) refuses with ENOSPC or ENOMEM, asks poll(2) for
 * it every EPOLL_SET_LOOK_US, and tries to add it again. It reports such a descriptor as long as it
 * is ready, also where EPOLLET or EPOLLONESHOT was asked for.
 *
 * The list is the process's, because a library passes nothing but the descriptor.
 *
 * Touches the OS. Runs: anywhere; one thread. Needs: nothing.
 */
#ifndef GLOVEBOX_BASE_EPOLL_SET_H
#define GLOVEBOX_BASE_EPOLL_SET_H

#include <stdbool.h>
#include <sys/epoll.h>

#define EPOLL_SET_LOOK_US 10000

/* As epoll_ctl(2), except that EPOLL_CTL_ADD does not fail for lack of room. */
int epoll_set_control(int set, int operation, int fd, struct epoll_event *event);

/* As epoll_wait(2). It returns after EPOLL_SET_LOOK_US while the set is short of room. */
int epoll_set_wait(int set, struct epoll_event *events, int most, int timeout_ms);

/*
 * Whether something of the set is looked at by poll(2). The set's descriptor does not become
 * readable for that: who waits for it by another set calls epoll_set_wait() in time.
 */
bool epoll_set_is_short(int set);

/* Whether this descriptor is among it. */
bool epoll_set_lacks(int set, int fd);

/* Before the set's descriptor is closed. */
void epoll_set_forget(int set);

#endif
