/*
 * filter_answers - what the shipped system call filter answers to each call.
 *
 * The compiled program is interpreted, so that it is the kernel that is compared with it.
 *
 * No side effects. Runs: `glovebox selftest`. Needs: nothing.
 */
#ifndef GLOVEBOX_SELFTEST_FILTER_ANSWERS_H
#define GLOVEBOX_SELFTEST_FILTER_ANSWERS_H

#include <stdint.h>

#include "base/buf.h"

/* What it answers to a call: an errno, 0 for a success without a call, PROBE_ALLOWED. */
unsigned filter_answer(int number, const uint64_t arguments[4]);

/*
 * Add "number:errno,..." for each call of this architecture that is refused when all of its
 * arguments are ones.
 */
void filter_answers(struct buf *out);

/* Add "number,..." for each that is allowed then, and does not end or hold up its caller. */
void filter_answers_allowed(struct buf *out);

/* filter_conditions.c: add "number:argument:...:answer,..." for calls judged by arguments. */
void filter_conditions(struct buf *out);

#endif
