/*
 * filter_answers - compute the answer of the shipped system call filter to each call.
 *
 * We interpret the compiled program, and compare the kernel with it.
 *
 * No side effects. Runs: `glovebox selftest`. Needs: nothing.
 */
#ifndef GLOVEBOX_SELFTEST_FILTER_ANSWERS_H
#define GLOVEBOX_SELFTEST_FILTER_ANSWERS_H

#include <stdint.h>

#include "base/buf.h"

/* The answer to a call: an errno, 0 for a success without a call, PROBE_ALLOWED. */
unsigned filter_answer(int number, const uint64_t arguments[4]);

/*
 * Add "number:errno,..." for each call of this architecture that the filter refuses when all
 * arguments are ones.
 */
void filter_answers(struct buf *out);

/*
 * Add "number,..." for each call that it then allows, and that neither ends nor blocks its caller.
 */
void filter_answers_allowed(struct buf *out);

/* filter_conditions.c: add "number:argument:...:answer,..." for calls judged by arguments. */
void filter_conditions(struct buf *out);

#endif
