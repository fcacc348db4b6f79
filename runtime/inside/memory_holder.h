/*
 * memory_holder - leave a process that keeps an ended program's memory, so that its end is reported
 * at once.
 *
 * The kernel reports the end of a process when its memory is freed: with numpy, pandas and pyplot
 * 3 ms after its last instruction. A process that shares the memory (CLONE_VM) frees it later
 * instead. It is a child of the program like any other, as confined, without descriptors; it blocks
 * all signals and waits, without using a stack. Pid 1 kills it like all leftovers of a program,
 * before it reports (init.c).
 *
 * Runs: the program of a cell, at its very end. Needs: nothing.
 */
#ifndef GLOVEBOX_INSIDE_MEMORY_HOLDER_H
#define GLOVEBOX_INSIDE_MEMORY_HOLDER_H

#include <stdbool.h>

/* Whether this cell's program may leave a holder; by default it may not. */
void memory_holder_permit(bool permitted);

/*
 * memory_holder_leave - close all descriptors and leave a holder behind; then end the process.
 *
 * It does nothing in a process that the program forked, with other threads, which would notice, or
 * with other processes: then the end takes long anyway, and one more process might be refused.
 */
void memory_holder_leave(void);

#endif
