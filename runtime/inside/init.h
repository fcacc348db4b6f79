/*
 * init - pid 1 of a sandbox.
 *
 * It builds the root, forks the program, confines itself, then reaps, sends the signals that the
 * monitor orders, and exits with the program; the kernel then kills everything else in the pid
 * namespace.
 *
 * Runs: pid 1. Needs: all capabilities over its namespaces, until reaper_steps; then nothing.
 */
#ifndef GLOVEBOX_INSIDE_INIT_H
#define GLOVEBOX_INSIDE_INIT_H

#include "inside/plan.h"

/*
 * inside_main - run pid 1; never returns.
 * Runs: the child of clone3, as pid 1 of the new pid namespace.
 * Reports errors and the program's end on plan->control_fd.
 */
__attribute__((noreturn)) void inside_main(const struct inside_plan *plan);

/*
 * inside_reap - run the rest of pid 1: reap, obey, report, exit.
 * @program  pid of the program, which has been forked; SIGCHLD is blocked.
 * Runs: pid 1, after reaper_steps.
 */
__attribute__((noreturn)) void inside_reap(const struct inside_plan *plan, long program);

#endif
