/*
 * dockerfile_tasks - tasks on a root in a chamber: unpack files, run a program, take files.
 *
 * They are tasks of struct chamber_step. Hostile programs have run in the root: we open files only
 * beneath it.
 *
 * Runs: in a chamber, as its root user.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_TASKS_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_TASKS_H

#include "base/err.h"
#include "dockerfile_step.h"

/* The root and the step that a task works on. */
struct dockerfile_task {
	const char *root;             /* its path in the chamber */
	const struct plan_step *step; /* NULL: a new root; unpack its base */
};

/* Make a new root; make the step's directories; unpack standard input, if the step has files. */
int dockerfile_task_unpack(const void *task, struct err *e);

/* Enter the root and execute the program of RUN: returns only with an error. */
int dockerfile_task_run(const void *task, struct err *e);

/* Write the sources of a step, which are in that root, to standard output. */
int dockerfile_task_take(const void *task, struct err *e);

#endif
