/*
 * epoll_set - epoll(7) that keeps working when the kernel refuses another watch.
 *
 * The kernel counts the watches of all processes of a user id (fs.epoll.max_user_watches),
 * including sandboxes without ids of their own, and charges their memory to a control group. An
 * epoll set records watches that epoll_ctl(2) refuses with ENOSPC or ENOMEM, checks them with
 * poll(2) every EPOLL_SET_LOOK_US, and tries to add them again. It reports such a descriptor as
 * long as it is ready, even with EPOLLET or EPOLLONESHOT.
 *
 * The list is global, because a library passes only the descriptor.
 *
 * Touches the OS. Runs: anywhere; one thread. Needs: nothing.
 */
#ifndef GLOVEBOX_LOOP_EPOLL_SET_H
#define GLOVEBOX_LOOP_EPOLL_SET_H

#include <stdbool.h>
#include <sys/epoll.h>

#define EPOLL_SET_LOOK_US 10000

/* Like epoll_ctl(2), but EPOLL_CTL_ADD does not fail when the kernel refuses a watch. */
int epoll_set_control(int set, int operation, int fd, struct epoll_event *event);

/* Like epoll_wait(2), but it returns after EPOLL_SET_LOOK_US while watches are refused. */
int epoll_set_wait(int set, struct epoll_event *events, int most, int timeout_ms);

/*
 * Whether poll(2) checks a watch of the set. The set's own descriptor does not become readable for
 * it: a process that waits for the set by another set must call epoll_set_wait() in time.
 */
bool epoll_set_is_short(int set);

/* Whether poll(2) checks this descriptor. */
bool epoll_set_lacks(int set, int fd);

/* Call it before closing the set's descriptor. */
void epoll_set_forget(int set);

#endif
