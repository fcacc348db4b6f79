/*
 * run - run one program in a sandbox, from its start to its verdict: an operation (base/loop.h).
 *
 * The driver waits on its loop and calls its step function. Nothing happens between steps; the loop
 * also wakes for deadlines.
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
 * run_start - start a planned sandbox.
 *
 * @s        outlives the run.
 * @io       copied; its descriptors and buffers outlive the run.
 * @account  always report the usage; otherwise only if the run failed.
 * @out      end it with run_end().
 * Errors: ours; the program has not run.
 */
int run_start(struct sandbox *s, const struct run_io *io, bool account, struct run **out,
	      struct err *e);

/* Wait for it with loop_wait(), or by loop_fd() when driving many. */
struct loop *run_loop(struct run *r);

/* Do what is due, without waiting. true: the run is over. */
bool run_step(struct run *r);

/*
 * Handle a signal of the caller's terminal: SIGWINCH resizes; any other ends the run, as in docker
 * run.
 */
void run_signal(struct run *r, int number);

/*
 * run_take_stage - the root of the MOUNT_STAGE tmpfs, unless --output uses it: owned by the caller
 * from now on; -1: not yet. Call it before run_end(), which measures its free space, and close it
 * afterwards.
 */
int run_take_stage(struct run *r);

/*
 * run_end - the verdict, once the run is over. Before that it kills the program, and waits for its
 * end unless the sandbox has `endings`.
 *
 * @out  zeroed by the caller except `captured`, which is kept; the rest is filled in.
 * Errors: ours. ERR_NOT_FOUND and ERR_DENIED: the command could not be executed (127, 126).
 */
int run_end(struct run *r, struct verdict *out, struct err *e);

#endif
