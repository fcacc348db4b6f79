/*
 * packet - receive one fixed-size message with descriptors from the host's side.
 *
 * Runs: nursery; the program of a cell before the request. Needs: nothing.
 */
#ifndef GLOVEBOX_INSIDE_PACKET_H
#define GLOVEBOX_INSIDE_PACKET_H

#include <stddef.h>
#include <sys/socket.h>

#define PACKET_MAX_FDS 200 /* the kernel's own bound is 253 (SCM_MAX_FD) */

struct packet {
	int fds[PACKET_MAX_FDS]; /* owned */
	unsigned fd_count;
	union {
		char bytes[CMSG_SPACE(PACKET_MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
};

/*
 * packet_receive - wait for a message of exactly `size` bytes.
 * Returns 1, 0 at the end of the stream, or a negative errno.
 */
long packet_receive(int socket, void *body, size_t size, struct packet *out);

void packet_close(const struct packet *p);

/* Move a descriptor to a number above the standard streams. Returns the number. */
int packet_raise(int fd);

#endif
