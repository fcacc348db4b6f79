/*
 * work - one thing that a kernel does in its session; there is one at a time.
 *
 * A session that is not there yet, or was lost, begins first.
 *
 * Runs: kernel. Needs: what asking a supervisor for a cell needs.
 */
#ifndef GLOVEBOX_KERNEL_WORK_H
#define GLOVEBOX_KERNEL_WORK_H

#include "kernel/kernel.h"

struct work {
	struct kernel *kernel;
	struct notebook_request request;
	struct notebook_result result;
	struct buf members; /* of a request to the interpreter; its source */
	void (*done)(struct work *w, const struct err *failed);
	void (*free)(struct work *w); /* what a larger struct owns; NULL: nothing */
	struct notebook *notebook;
	struct buf published; /* ports of a session that begins */
};

/*
 * work_init - begin to describe a work.
 * @w     the first member of a block of the heap: freed after `done`.
 * @done  called once, with the error if the work was not done.
 */
void work_init(struct work *w, struct kernel *k,
	       void (*done)(struct work *w, const struct err *failed));

/* Start it; `done` may be called at once. */
void work_start(struct work *w);

/* It has ended, or is not started. @failed: why it was not done; NULL: it was. */
void work_finish(struct work *w, const struct err *failed);

/* Abandon the one that is under way, with its session. */
void work_abandon(struct kernel *k);

#endif
