/*
 * frame - four bytes of length (little-endian), then that many bytes: what a session's interpreter
 * and its driver send each other.
 *
 * Requests go through a socket on which nothing can be sent back (message_pair_down()). Each brings
 * a pipe for its answer: no descriptor can come through a pipe, only the code that was asked has
 * it, and what is written to it later reaches nobody.
 *
 * The interpreter shares its process with foreign code, so every byte from it is hostile: lengths
 * are checked before anything is allocated, and memory grows with the bytes that have really come.
 *
 * Runs: client, supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_WIRE_FRAME_H
#define GLOVEBOX_WIRE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define FRAME_HEADER 4

struct frame {
	unsigned char header[FRAME_HEADER];
	size_t header_have;
	size_t size; /* of the body, once the header is whole */
	struct buf body;
};

/*
 * frame_add - take bytes that have arrived.
 *
 * @max    largest body.
 * @used   out: how many of them belong to this frame.
 * Pure. Returns 1 when the frame is complete, 0 when more must come, -1 with ERR_INPUT when it is
 * too large.
 */
int frame_add(struct frame *f, const void *bytes, size_t length, size_t max, size_t *used,
	      struct err *e);
void frame_fini(struct frame *f);

/*
 * Make a pipe for one answer. Our end, @ours, never blocks; both are owned by the caller. -1 with
 * errno.
 */
int frame_pipe(int *ours, int *theirs);

/*
 * frame_ping - ask for a sign of life: {"id":0,"op":"ping"}, with the pipe of its answer.
 *
 * @theirs  borrowed.
 * Never waits, and sends all of it or nothing: half a request would be read as the beginning of the
 * next. -1 with errno.
 */
int frame_ping(int socket, int theirs);

/* The header of a body of `size` bytes. */
void frame_header(uint32_t size, unsigned char out[FRAME_HEADER]);

#define auto_frame __attribute__((cleanup(frame_fini)))

#endif
