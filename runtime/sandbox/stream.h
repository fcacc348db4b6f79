/*
 * stream - relay one byte stream between caller and program, in either direction, without blocking
 * the driver.
 *
 * A blocked reader must not delay the deadline, and we must not make the caller's descriptors
 * non-blocking (other processes share them). So we write only after poll() allows it, in pieces
 * that a pipe then takes whole (PIPE_BUF, pipe(7)). If a write blocks all the same (on a stopped
 * terminal), SIGALRM interrupts it after 50 ms, if the program has set that up (base/process.h).
 *
 * Runs: monitor, client. Needs: nothing.
 */
#ifndef GLOVEBOX_SANDBOX_STREAM_H
#define GLOVEBOX_SANDBOX_STREAM_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/sink.h"

#define STREAM_BYTES 65536      /* of one read: the capacity of a pipe */
#define STREAM_HELD  (2u << 20) /* more than a pipe or a pty can hold (pipe(7): pipe-max-size) */

struct stream {
	int from; /* -1 once it has ended; owned if own_from */
	int to;   /* -1: drop the bytes; owned if own_to */
	bool own_from;
	bool own_to;
	uint64_t limit; /* bytes relayed; the rest is read and dropped */
	uint64_t passed;
	uint64_t came; /* bytes read */
	bool truncated;
	bool reader_gone;    /* a write to `to` failed: EPIPE or similar */
	bool lost;           /* and output was lost */
	int error;           /* the errno of that write */
	struct buf *capture; /* receives a copy; or NULL */
	void (*take)(void *context, const char *bytes,
		     size_t length); /* called with each piece; or NULL */
	void *take_context;
	uint64_t moved_us; /* monotonic time when pending bytes last arrived or were taken */
	size_t piece;      /* bytes per write */
	bool may_block;    /* a write to `to` needs a time limit */
	char *pending;     /* owned; bytes to be relayed: from `start` to `end` */
	size_t start;
	size_t end;
};

/* The type of @to decides how much one write may send. End with stream_fini(). */
void stream_init(struct stream *s, int from, int to);
void stream_init_sink(struct stream *s, int from, const struct sink *sink, uint64_t limit);
void stream_fini(struct stream *s);

/* Fill in what to poll for; unused slots get fd -1. */
void stream_poll(const struct stream *s, struct pollfd fds[2]);

/* Act on the poll results. Ends of file and errors end the stream without an error here. */
void stream_pump(struct stream *s, const struct pollfd fds[2]);

/* Whether bytes wait to be relayed. */
bool stream_has_pending(const struct stream *s);

/* Whether no pending byte has been taken for 2 s. */
bool stream_is_stuck(const struct stream *s);

/* Drop pending bytes, and those of up to @reads more reads; sets `truncated` if there are any. */
void stream_discard(struct stream *s, unsigned reads);

/* The errno of the write that lost output; 0 if there is none, or the reader has closed. */
int stream_error(const struct stream *s);

/* Whether the source has ended and all bytes have been relayed. */
bool stream_is_done(const struct stream *s);

#endif
