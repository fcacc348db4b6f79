/*
 * trials - the trials of selftest: each makes one or more sandboxes, and records its findings.
 *
 * Each returns 0, or -1 with *e when it failed; findings recorded until then stay.
 * Runs: `glovebox selftest`. Needs: what a run needs.
 */
#ifndef GLOVEBOX_SELFTEST_TRIALS_H
#define GLOVEBOX_SELFTEST_TRIALS_H

#include "selftest/caller.h"
#include "selftest/selftest.h"

#define TRIAL_MS 20000 /* time limit of one sandbox; its own deadline is earlier */

/* trial_start - caller_start() with words in one text, separated by blanks. */
int trial_start(struct selftest *t, struct caller *c, const char *flags, const char *options,
		struct caller_run *out, struct err *e);

/* The error of a run that did not do its work: its own message. Returns -1. */
int trial_failed(const struct caller_run *r, int status, struct err *e);

/* Wait until a waiting probe (mode=wait) reports so. */
int trial_await(struct caller_run *r, struct err *e);

/* Record the probe's findings. Returns whether it reached its end. */
bool trial_note_answer(struct selftest *t, const struct caller_run *r);

/*
 * trial_end - wait for the run's end and record the probe's findings. The probe must report
 * everything and the sandbox end well: a step after the program's start may fail when the probe has
 * already finished.
 */
int trial_end(struct selftest *t, struct caller_run *r, struct err *e);

/* trials_inside.c: what the probe can try inside, behind the filter, without it, warm. */
int trial_shipped(struct selftest *t, struct caller *c, struct err *e);
int trial_bare(struct selftest *t, struct caller *c, struct err *e);
int trial_terminal(struct selftest *t, struct caller *c, struct err *e);
int trial_warm(struct selftest *t, struct caller *c, struct err *e);

/* trials_outside.c: what is visible from outside. */
int trial_outside(struct selftest *t, struct caller *c, struct err *e);

/* trials_ends.c: what ends with glovebox, or with pid 1. */
int trial_kill(struct selftest *t, struct caller *c, struct err *e);
int trial_init_killed(struct selftest *t, struct caller *c, struct err *e);
int trial_interrupt(struct selftest *t, struct caller *c, struct err *e);
int trial_deadline(struct selftest *t, struct caller *c, struct err *e);

/* trials_residue.c: what remains. */
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
