/*
 * memory_holder - a process that keeps the memory of an ended program, so that its end is seen at
 * once.
 *
 * The kernel reports the end of a process when its memory is gone: with numpy, pandas and pyplot
 * 3 ms after its last instruction. A process that shares the memory (CLONE_VM) makes that its own
 * affair. It is a child of the program like any other, as confined, and has no descriptor; it
 * blocks all signals and waits, on no stack. Pid 1 kills it as it kills everything that a program
 * leaves behind, before it reports (init.c).
 *
 * Runs: the program of a cell, at its very end. Needs: nothing.
 */
#ifndef GLOVEBOX_INSIDE_MEMORY_HOLDER_H
#define GLOVEBOX_INSIDE_MEMORY_HOLDER_H

#include <stdbool.h>

/* Whether this cell's program may leave one behind; not until then. */
void memory_holder_permit(bool permitted);

/*
 * memory_holder_leave - close all descriptors and leave a holder behind; then end the process.
 *
 * Nothing is done if this is not the program itself, but a process that it forked, or if it has
 * other threads, which would notice, or if there are other processes: then the end takes its time
 * all the same, and one more process might be refused.
 */
void memory_holder_leave(void);

#endif
