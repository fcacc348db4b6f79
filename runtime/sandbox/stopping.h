/*
 * stopping - end a program by a signal, and kill it after a grace.
 *
 * Runs: the process that watches the program. Needs: nothing.
 */
#ifndef GLOVEBOX_SANDBOX_STOPPING_H
#define GLOVEBOX_SANDBOX_STOPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "spec/spec.h"

struct stopping {
	uint64_t kill_at; /* monotonic, in us; UINT64_MAX: no grace has begun */
	unsigned asked;   /* --sig-proxy: termination signals passed on */
	bool late;        /* by the deadline or an order: do not wait for a reader that is stuck */
};

/* No signal has been sent. */
struct stopping stopping_none(void);

/* The end of the wall time limit that counts from @from_us; UINT64_MAX: none. */
uint64_t stopping_deadline(const struct limits *l, uint64_t from_us);

/*
 * stopping_at_deadline - interrupt the program, and start the grace.
 * @control  of the child; borrowed, -1 once it is gone.
 * Returns false without a grace, or if one has begun before: the caller kills the program.
 */
bool stopping_at_deadline(struct stopping *s, const struct sandbox_spec *spec, int control);

/*
 * stopping_signal - a signal has come to us.
 *
 * Without --sig-proxy it ends the program: --stop-signal, and the grace of --stop-timeout. With it
 * the program gets the signal, and ends by itself. Then SIGTERM and SIGINT begin the grace of a
 * --stop-timeout that was given, and the third of these ends the grace, as docker's client leaves.
 *
 * An order of another process of the user's (base/process.h) sends the program a signal whatever
 * --sig-proxy says, or has it end: by --stop-signal and the grace of --stop-timeout (10 s unless it
 * was given), or at once. A second order to stop leaves the grace as it is.
 *
 * @gone  nothing of the program is left but output that we still pass on.
 * @by    out: the number, if it ends the run. Stays if there was one before.
 * Returns false as stopping_at_deadline() does.
 */
bool stopping_signal(struct stopping *s, const struct sandbox_spec *spec, bool gone, int control,
		     int number, int *by);

/* Whether a command that is sent this signal is to end, and not only told something. */
bool stopping_is_meant(int number);

/* Whether the grace is over. @by as above: SIGKILL, if a signal passed on started it. */
bool stopping_is_over(struct stopping *s, uint64_t now_us, int *by);

#endif
