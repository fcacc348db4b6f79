/*
 * follow - print what the program of a sandbox that stays prints, and pass it an input: the
 * client's side of `logs -f` and `attach`.
 *
 * Output is read from the log: any number of clients follow it, and none stalls the program. The
 * input is the monitor's own pipe to the program, which it hands out.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_FOLLOW_H
#define GLOVEBOX_MONITOR_FOLLOW_H

#include <stdbool.h>

#include "loop/loop.h"
#include "record/log.h"
#include "record/record.h"

struct follow;

/* The way to the program. */
struct follow_typing {
	/*
	 * The start of a sandbox that does not run is awaited; follow_signal() passes signals to
	 * the program, and not to know its end is an error.
	 */
	bool attach;
	int in; /* borrowed; passed on; a terminal is made raw if the program has one; -1: none */
	bool once; /* the program's input ends when `in` does; no other client gets it */
};

/*
 * follow_start - begin to follow.
 *
 * @r       outlives it. If the sandbox has ended, its state is read again.
 * @number  of a further program whose output is kept; 0: the first.
 * @wish    of the log: what to print first.
 * @typing  copied.
 * @out     end with follow_end().
 * Errors: ERR_SYSTEM. With `attach`, ERR_GONE: it does not run. With @number, ERR_NOT_FOUND.
 */
int follow_start(struct record *r, uint32_t number, const struct log_wish *wish,
		 const struct follow_typing *typing, struct follow **out, struct err *e);

/* An operation (loop/loop.h): over when the program has ended, and its log is printed. */
struct loop *follow_loop(struct follow *f);
bool follow_step(struct follow *f);

/* With `attach`: SIGWINCH resizes the program's pty, any other signal goes to the program. */
void follow_signal(struct follow *f, int number);

/*
 * follow_end - release it; the program goes on.
 * @exit_code  out: of the sandbox or of the further program, if it has ended; else 0.
 * Errors: ERR_SYSTEM: output could not be written.
 */
int follow_end(struct follow *f, int *exit_code, struct err *e);

#endif
