/*
 * message - bytes over a unix socket, with what only such a socket carries: descriptors, and the
 * sender's credentials (unix(7)).
 *
 * Touches the OS; retries EINTR; received descriptors are O_CLOEXEC.
 */
#ifndef GLOVEBOX_BASE_MESSAGE_H
#define GLOVEBOX_BASE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MESSAGE_MAX_FDS 253 /* the kernel's bound (SCM_MAX_FD) */

/* What came with the bytes. */
struct message_extra {
	int fds[MESSAGE_MAX_FDS]; /* owned: message_drop() closes those not taken */
	unsigned fd_count;
	pid_t sender;   /* from the kernel, with message_name_senders(); else 0 */
	bool truncated; /* there was no room for some bytes */
	bool lacks_fds; /* this process has no room for all descriptors that came: none is kept */
};

/* A connected pair of sockets: @type SOCK_STREAM or SOCK_SEQPACKET. -1 with errno. */
int message_pair(int type, int *ours, int *theirs);

/*
 * message_pair_down - a stream on which only we can send, bytes and descriptors.
 *
 * Foreign code that sends on its end gets EPIPE. So none of its descriptors can ever wait in a
 * queue of ours, where closing them could take as long as it likes (unix_stream_sendmsg(),
 * net/unix/af_unix.c). The other end cannot undo it. -1 with errno.
 */
int message_pair_down(int *ours, int *theirs);

/* Whether messages name their sender from now on. -1 with errno. */
int message_name_senders(int socket, bool on);

/*
 * message_send - as sendmsg(2), without SIGPIPE.
 * @fds    borrowed; sent with the first byte.
 * @flags  MSG_DONTWAIT or 0.
 */
ssize_t message_send(int socket, const void *bytes, size_t length, const int *fds,
		     unsigned fd_count, int flags);

/* message_receive - as recvmsg(2). */
ssize_t message_receive(int socket, void *bytes, size_t size, int flags, struct message_extra *out);

/* Take the one expected descriptor, -1 if none came; any others are closed. */
int message_take(struct message_extra *m);

/* Close the descriptors that came. */
void message_drop(struct message_extra *m);

#endif
