/*
 * trials - what selftest does: each makes one sandbox or some, and notes what it has found.
 *
 * Each returns 0, or -1 with *e when it could not be made; what was noted until then stays.
 * Runs: `glovebox selftest`. Needs: what a run needs.
 */
#ifndef GLOVEBOX_SELFTEST_TRIALS_H
#define GLOVEBOX_SELFTEST_TRIALS_H

#include "selftest/caller.h"
#include "selftest/selftest.h"

#define TRIAL_MS 20000 /* the most that one sandbox may take; its own deadline comes earlier */

/*
 * trial_start - caller_start() with words in one text, divided by blanks.
 */
int trial_start(struct selftest *t, struct caller *c, const char *flags, const char *options,
		struct caller_run *out, struct err *e);

/* The error of a run that has not done what it was for: its own message. Returns -1. */
int trial_failed(const struct caller_run *r, int status, struct err *e);

/* Wait until a probe that waits (mode=wait) has said so. */
int trial_await(struct caller_run *r, struct err *e);

/* Note what the probe has said. Returns whether it came to its end. */
bool trial_note_answer(struct selftest *t, const struct caller_run *r);

/*
 * trial_end - wait for its end and note what the probe says. It must say all and the sandbox end
 * well: a step behind the program's start may fail when the program has said everything already.
 */
int trial_end(struct selftest *t, struct caller_run *r, struct err *e);

/* trials_inside.c: what can be tried from inside, behind the filter, without it, warm. */
int trial_shipped(struct selftest *t, struct caller *c, struct err *e);
int trial_bare(struct selftest *t, struct caller *c, struct err *e);
int trial_terminal(struct selftest *t, struct caller *c, struct err *e);
int trial_warm(struct selftest *t, struct caller *c, struct err *e);

/* trials_outside.c: what is seen from outside. */
int trial_outside(struct selftest *t, struct caller *c, struct err *e);

/* trials_ends.c: what the end of glovebox, or of pid 1, ends. */
int trial_kill(struct selftest *t, struct caller *c, struct err *e);
int trial_init_killed(struct selftest *t, struct caller *c, struct err *e);
int trial_interrupt(struct selftest *t, struct caller *c, struct err *e);
int trial_deadline(struct selftest *t, struct caller *c, struct err *e);

/* trials_residue.c: what is left. */
int trial_residue(struct selftest *t, struct caller *c, struct err *e);

/* trials_limits.c: programs that meet a limit. */
int trial_memory(struct selftest *t, struct caller *c, struct err *e);
int trial_sockets(struct selftest *t, struct caller *c, struct err *e);
int trial_socket_count(struct selftest *t, struct caller *c, struct err *e);
int trial_pids(struct selftest *t, struct caller *c, struct err *e);
int trial_cpu(struct selftest *t, struct caller *c, struct err *e);
int trial_cpu_time(struct selftest *t, struct caller *c, struct err *e);
int trial_output(struct selftest *t, struct caller *c, struct err *e);

#endif
