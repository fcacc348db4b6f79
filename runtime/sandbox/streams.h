/*
 * streams - the three streams of a program, and its terminal: drive them together.
 *
 * Runs: monitor, client. Needs: nothing.
 */
#ifndef GLOVEBOX_SANDBOX_STREAMS_H
#define GLOVEBOX_SANDBOX_STREAMS_H

#include "sandbox/stream.h"
#include "sandbox/terminal.h"

/* The outer ends of a program's three streams. */
struct run_io {
	int in; /* borrowed; the program's input; may be a terminal; -1: none */
	struct sink out[2];
};

/* The slots: a source and a destination for each. */
enum { STREAMS_IN, STREAMS_OUT = 2, STREAMS_SLOTS = 6 };

struct streams {
	struct run_io io;
	bool interactive;
	uint64_t limit; /* of each output */
	struct stream in;
	struct stream out[2];
	struct terminal terminal; /* of a program with a pty */
};

/* @io: copied. Nothing is relayed until the program's ends come. */
void streams_begin(struct streams *s, const struct run_io *io, bool interactive, uint64_t limit);

/* Relay from and to the program's pipes, which are taken over; -1: none. */
void streams_take(struct streams *s, int *input, int output[2]);

/* The same with the master of its pty, once. @fd: owned. */
void streams_take_pty(struct streams *s, int fd);
bool streams_have_pty(const struct streams *s);

/* Like stream_poll() and stream_pump(). */
void streams_poll(const struct streams *s, struct pollfd slots[STREAMS_SLOTS]);
void streams_pump(struct streams *s, const struct pollfd slots[STREAMS_SLOTS]);

/* The program reads nothing more. */
void streams_end_input(struct streams *s);

/*
 * Whether all output has been relayed. @late: do not wait any more for a reader that does not read.
 */
bool streams_are_done(const struct streams *s, bool late);
bool streams_have_pending(const struct streams *s);

/*
 * Whether the reader of one has closed it. @ended: the program has ended, so it counts only if
 * output was lost. *error: the errno of the write; 0: the reader has closed.
 */
bool streams_have_no_reader(const struct streams *s, bool ended, int *error);

/* Drop output that is not relayed yet. */
void streams_abandon(struct streams *s);

/* End all, and restore our terminal; @truncated: whether each output was cut. */
void streams_end(struct streams *s, bool truncated[2]);

#endif
