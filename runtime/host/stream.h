/*
 * stream - one byte stream between the caller and the program, in either direction, that never
 * blocks its driver.
 *
 * A blocked reader must not keep the deadline from being enforced, and the caller's descriptors
 * must not be made non-blocking (they are shared with other processes). So a write happens only
 * after poll() allows it, in pieces that a pipe then takes whole (PIPE_BUF, pipe(7)). If it blocks
 * all the same (a terminal that nobody reads), SIGALRM interrupts it after 50 ms, provided that the
 * owner of the process has set that up (base/process.h).
 *
 * Runs: monitor, client. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_STREAM_H
#define GLOVEBOX_HOST_STREAM_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/sink.h"

#define STREAM_BYTES 65536 /* read at once, as much as a pipe holds */

struct stream {
	int from; /* -1 once it has ended; owned if own_from */
	int to;   /* -1: nowhere; owned if own_to */
	bool own_from;
	bool own_to;
	uint64_t limit; /* bytes let through; the rest is read and dropped */
	uint64_t passed;
	uint64_t came; /* bytes read */
	bool truncated;
	bool reader_gone;    /* writing to `to` failed: EPIPE or similar */
	bool lost;           /* and output was lost */
	int error;           /* the errno of that write */
	struct buf *capture; /* gets a copy; or NULL */
	void (*take)(void *context, const char *bytes,
		     size_t length); /* is called with it; or NULL */
	void *take_context;
	uint64_t moved_us; /* monotonic: the last time that pending bytes came or were taken */
	size_t piece;      /* bytes per write */
	bool may_block;    /* writes to `to` need a time limit */
	char *pending;     /* owned; what has come and is not passed on: from `start` to `end` */
	size_t start;
	size_t end;
};

/* @to's type decides how much is written at once. Ends with stream_fini(). */
void stream_init(struct stream *s, int from, int to);
void stream_init_sink(struct stream *s, int from, const struct sink *sink, uint64_t limit);
void stream_fini(struct stream *s);

/* What to poll for; unused slots get fd -1. */
void stream_poll(const struct stream *s, struct pollfd fds[2]);

/* Act on the results. Ends of file and errors end the stream; nothing is returned. */
void stream_pump(struct stream *s, const struct pollfd fds[2]);

/* Something has come that is not passed on. */
bool stream_has_pending(const struct stream *s);

/* None of what is pending has been taken for 2 s. */
bool stream_is_stuck(const struct stream *s);

/*
 * Drop what is pending, and what so many reads still return; `truncated` is set if that is
 * anything.
 */
void stream_discard(struct stream *s, unsigned reads);

/* The errno of the write that lost output, unless its reader has left; else 0. */
int stream_error(const struct stream *s);

/* Nothing more will come, and everything has been passed on. */
bool stream_is_done(const struct stream *s);

#endif
