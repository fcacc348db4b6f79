/*
 * dockerfile_tasks - what is done to a root in a chamber: files put there, programs run, files
 * taken.
 *
 * They are tasks of struct chamber_step. The root is a directory in which a stranger's programs
 * have run: nothing of it is opened but beneath it.
 *
 * Runs: in a chamber, as its root user.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_TASKS_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_TASKS_H

#include "base/err.h"
#include "base/list.h"
#include "dockerfile_step.h"

/* The root and the step that a task works on. */
struct dockerfile_task {
	const char *root;             /* its path in the chamber */
	const struct plan_step *step; /* NULL: the root is new, and its base comes */
};

/* Make the root, if it is new; then what stands before the step; unpack what is read, if anything.
 */
int dockerfile_task_unpack(const void *task, struct err *e);

/* Enter the root and execute the program of RUN: returns only with an error. */
int dockerfile_task_run(const void *task, struct err *e);

/* Write the sources of a step, which are in that root, to standard output. */
int dockerfile_task_take(const void *task, struct err *e);

#endif
