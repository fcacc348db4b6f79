/*
 * wire - one message between two processes of ours: JSON text and descriptors.
 *
 * A SOCK_SEQPACKET socket keeps messages apart, so there is no framing to get wrong; a message
 * beyond WIRE_MAX_TEXT or WIRE_MAX_FDS is an error and does not spill into the next. Larger content
 * crosses as a descriptor.
 *
 * Runs: client, supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_WIRE_WIRE_H
#define GLOVEBOX_WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

#define WIRE_MAX_TEXT (128u << 10)
#define WIRE_MAX_FDS  34 /* for each published port one, and two more */

struct wire_message {
	struct buf text;
	int fds[WIRE_MAX_FDS]; /* owned */
	unsigned fd_count;
	bool lacks_fds; /* some came, and this process had no room for them: none is here */
};

/*
 * wire_send - send one message; the descriptors stay the caller's.
 * Errors: ERR_SYSTEM, with EAGAIN when the other side does not read.
 */
int wire_send(int socket, const void *text, size_t length, const int *fds, unsigned fd_count,
	      struct err *e);

/*
 * wire_receive - receive one message into *out; end with wire_fini().
 * Returns 1; 0 at the end of the stream; -1 for an error or a message that is too large.
 */
int wire_receive(int socket, struct wire_message *out, struct err *e);
void wire_fini(struct wire_message *m);

/* Take over one descriptor of the message; -1 if there are not that many. */
int wire_take(struct wire_message *m, unsigned index);

#endif
