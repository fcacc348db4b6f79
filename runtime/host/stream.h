/*
 * stream - one byte stream between the caller and the program, in either
 * direction, that never blocks the supervisor.
 *
 * A blocked reader must not keep the deadline from being enforced, and the
 * caller's descriptors must not be made non-blocking (they are shared with
 * other processes). So a write happens only after poll() says it can, in pieces
 * that a pipe then takes whole (PIPE_BUF, pipe(7)), and where it blocks all the same
 * (a terminal that nobody reads) it is interrupted after 50 ms, by SIGALRM.
 */
#ifndef GLOVEBOX_HOST_STREAM_H
#define GLOVEBOX_HOST_STREAM_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct stream {
	int from; /* -1 once it has ended; owned if own_from */
	int to;   /* -1: nowhere; owned if own_to */
	bool own_from;
	bool own_to;
	uint64_t limit; /* bytes let through; the rest is read and dropped */
	uint64_t passed;
	bool truncated;
	bool reader_gone;    /* writing to `to` failed: EPIPE and kin */
	bool lost;           /* so that output was lost */
	int error;           /* why: an errno */
	struct buf *capture; /* or NULL */
	uint64_t moved_us;   /* monotonic: when what is pending came, or some of it was taken */
	size_t piece;        /* bytes per write */
	bool may_block;      /* `to` is no regular file */
	size_t start;
	size_t end;
	char pending[65536];
};

/* @to's kind decides how much is written at once. */
void stream_init(struct stream *s, int from, int to);
void stream_fini(struct stream *s);

/* What to poll for; unused slots get fd -1. */
void stream_poll(const struct stream *s, struct pollfd fds[2]);

/* Act on the answers. Ends of file and errors end the stream; nothing is returned. */
void stream_pump(struct stream *s, const struct pollfd fds[2]);

/* Nobody has taken anything of what is pending for 2 s. */
bool stream_is_stuck(const struct stream *s);

/* Drop what is pending, and what is there to be read by so many reads; truncated, if that is
 * anything. */
void stream_discard(struct stream *s, unsigned reads);

/* Nothing more will come, and all that came has been handed on. */
bool stream_is_done(const struct stream *s);

#endif
