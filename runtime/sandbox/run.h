/*
 * run - run one program in a sandbox, from its start to its verdict: an operation (loop/loop.h).
 *
 * The driver waits on its loop and calls its step function. Nothing happens between steps; the loop
 * also wakes for deadlines.
 *
 * Runs: monitor. Needs: what the sandbox's start needs; then nothing.
 */
#ifndef GLOVEBOX_SANDBOX_RUN_H
#define GLOVEBOX_SANDBOX_RUN_H

#include "sandbox/door.h"
#include "sandbox/sandbox.h"
#include "sandbox/watch.h"
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
 * run_exec, run_exec_signal - start a further program in a sandbox that stays, and signal it or,
 * with
 * @group, its process group (sandbox/door.h describes the parameters).
 *
 * @exec  out: its number, from 1; 0: it was not ordered. Its end is told to the function of
 * run_on_exec_end(), once. Errors: ERR_GONE: the sandbox is ending.
 */
int run_exec(struct run *r, const struct door_wish *wish, struct child *out, uint32_t *exec,
	     struct err *e);
void run_exec_signal(struct run *r, uint32_t exec, int number, bool group);
void run_on_exec_end(struct run *r, void (*ended)(void *context, const struct report *report),
		     void *context);

/*
 * run_update - replace its limits of memory, swap, pids and CPU time while it runs, and with @timed
 * its deadline, which is counted from now.
 * Errors: those of cgroup_update(), and then nothing has changed; ERR_GONE: it is ending.
 */
int run_update(struct run *r, const struct limits *next, bool timed, struct err *e);

/* Its limits as its spec would have them; the time limits are those of its start. */
struct limits run_limits(const struct run *r);

/* It has been idle for too long: end it as at its deadline. */
void run_expire(struct run *r);

/* Order the first program of a sandbox that `waits` (sandbox/sandbox.h). */
int run_start_first(struct run *r, struct err *e);

/* Kill it: it is over soon, as after any other end. */
void run_kill(struct run *r);

/*
 * run_layers - the layers of a root that can be written, of a sandbox that stays
 * (inside/overlay.h); borrowed until run_end(). -1: none, or not yet.
 */
int run_layers(const struct run *r);

/* Set the size of the first program's terminal, if it has one. */
void run_resize(struct run *r, uint16_t rows, uint16_t columns);

/* The sandbox that runs; borrowed. Its published ports alone may change meanwhile. */
struct sandbox *run_sandbox(const struct run *r);

/* Its processes are frozen, or go on: what is killed while frozen must be thawed to end (v1). */
void run_set_paused(struct run *r, bool paused);
bool run_is_paused(const struct run *r);

/* Whether the program of a sandbox that stays has been executed. */
bool run_has_started(const struct run *r);

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
