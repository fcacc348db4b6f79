/*
 * message - exchange bytes over a unix socket, with descriptors and the sender's credentials
 * (unix(7)).
 *
 * Touches the OS; retries EINTR; received descriptors are O_CLOEXEC.
 */
#ifndef GLOVEBOX_NET_MESSAGE_H
#define GLOVEBOX_NET_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MESSAGE_MAX_FDS 253 /* the kernel's bound (SCM_MAX_FD) */

/* The attachments of a message. */
struct message_extra {
	int fds[MESSAGE_MAX_FDS]; /* owned: message_drop() closes those not taken */
	unsigned fd_count;
	pid_t sender;   /* from the kernel, with message_name_senders(); else 0 */
	bool truncated; /* the buffer was too small for all bytes */
	bool lacks_fds; /* this process had no room for all attached descriptors: none is kept */
};

/* A connected pair of sockets: @type SOCK_STREAM or SOCK_SEQPACKET. -1 with errno. */
int message_pair(int type, int *ours, int *theirs);

/*
 * message_pair_down - a pair of stream sockets on which only we can send.
 *
 * Hostile code that sends on its end gets EPIPE (unix_stream_sendmsg(), net/unix/af_unix.c), and
 * cannot undo that. So its descriptors never wait in our queue, where closing them could block us.
 * -1 with errno.
 */
int message_pair_down(int *ours, int *theirs);

/* Attach the sender's pid to received messages from now on, or stop that. -1 with errno. */
int message_name_senders(int socket, bool on);

/*
 * message_send - like sendmsg(2), without SIGPIPE.
 * @fds    borrowed; sent with the first byte.
 * @flags  MSG_DONTWAIT or 0.
 */
ssize_t message_send(int socket, const void *bytes, size_t length, const int *fds,
		     unsigned fd_count, int flags);

/* message_receive - like recvmsg(2). */
ssize_t message_receive(int socket, void *bytes, size_t size, int flags, struct message_extra *out);

/* Take the one expected descriptor, or -1; close any others. */
int message_take(struct message_extra *m);

/* Close the attached descriptors. */
void message_drop(struct message_extra *m);

#endif
