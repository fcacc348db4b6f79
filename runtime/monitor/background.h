/*
 * background - keep what a further program prints, in a log of its own.
 *
 * The monitor has the program's streams: it reads them as they come, so that the program never
 * waits for a reader, and its memory does not grow with what comes. The log is
 * RECORD_PROGRAMS/NUMBER of the record's directory, in the form of that of the first program
 * (record/log.h).
 *
 * A process that the program has left behind may print on: the log goes on, until all who print
 * have closed the streams or the log is dropped.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_BACKGROUND_H
#define GLOVEBOX_MONITOR_BACKGROUND_H

#include "client/hub.h"
#include "monitor/input_pipe.h"
#include "monitor/messages.h"
#include "record/log.h"
#include "sandbox/spawn.h"
#include "sandbox/stream.h"

#define PROGRAMS_NEW "new" /* the directory of a program that has no number yet */

struct background;

struct background_stream {
	struct hub_watch watch;
	struct background *of;
	int number; /* 1 or 2 */
};

struct background {
	struct child child; /* owned: what belongs to the program */
	/* internal */
	struct hub *hub; /* borrowed */
	struct background_stream out[2];
	int typing[2]; /* owned; of clients, into a pty (monitor/input_pipe.h); -1 */
	struct stream in;
	struct hub_watch typed;
	struct log log;
	int dir; /* owned; of the log; -1 */
};

/*
 * background_open - make the log, before the program starts. @b->child is child_none() then.
 *
 * @programs  the directory RECORD_PROGRAMS; borrowed.
 * @r         its "exec": how much output to keep, and whether clients type into a pty.
 * Errors: ERR_SYSTEM. End it with background_close() on both paths.
 */
int background_open(struct background *b, struct hub *hub, int programs,
		    const struct monitor_request *r, struct err *e);

/*
 * The program has been ordered, and has a number: name its log by that, and read the pipes of
 * @b->child from now on.
 */
int background_begin(struct background *b, int programs, uint32_t number, struct err *e);

/*
 * background_hear - read its reports: an error, or the master of its pty.
 * @closed  the other end of the socket is closed.
 * Returns 0: nothing has been decided; 1: it has been executed, or is gone; -1: *e.
 */
int background_hear(struct background *b, bool closed, struct err *e);

/* Leads to its input, for a client; borrowed; -1: nothing does. */
int background_input(const struct background *b);

/* The program has ended: what its streams hold is added to the log. */
void background_end(struct background *b);

/* Safe on zeroes, and when called twice. */
void background_close(struct background *b);

#endif
