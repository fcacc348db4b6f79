/*
 * run - one program in a sandbox, from its start to its verdict: an operation (base/loop.h).
 *
 * Its driver waits for its loop and calls its step function. Nothing happens between two steps; the
 * loop wakes for its deadlines, too.
 *
 * Runs: monitor. Needs: what the sandbox's start needs; then nothing.
 */
#ifndef GLOVEBOX_HOST_RUN_H
#define GLOVEBOX_HOST_RUN_H

#include "host/sandbox.h"
#include "host/watch.h"
#include "spec/verdict.h"

struct run;

/*
 * run_start - start a sandbox that is planned.
 *
 * @s        outlives the run.
 * @io       copied; its descriptors and buffers outlive the run.
 * @account  report what it cost in any case; otherwise only if it did not end well.
 * @out      ended by run_end().
 * Errors: ours; nothing has been run.
 */
int run_start(struct sandbox *s, const struct run_io *io, bool account, struct run **out,
	      struct err *e);

/* Wait on it with loop_wait(), or with loop_fd() when driving many. */
struct loop *run_loop(struct run *r);

/* Do what is due; never waits. true: the run is over. */
bool run_step(struct run *r);

/*
 * Pass on a signal of the caller's terminal: SIGWINCH resizes; any other ends the run, as in docker
 * run.
 */
void run_signal(struct run *r, int number);

/*
 * run_take_stage - the root of the tmpfs that the program had as MOUNT_STAGE, if that was not for
 * --output: the caller's from now on; -1: there is none yet. Call it before run_end(), which asks
 * it for its room: close it later.
 */
int run_take_stage(struct run *r);

/*
 * run_end - the verdict, once the run is over. Before that it is killed, and its end waited for, if
 * nothing else does so (`endings` of the sandbox).
 *
 * @out  zeroed by the caller except `captured`, which is kept; the rest is filled in.
 * Errors: ours. ERR_NOT_FOUND and ERR_DENIED mean that the command could not be executed (127,
 * 126).
 */
int run_end(struct run *r, struct verdict *out, struct err *e);

#endif
