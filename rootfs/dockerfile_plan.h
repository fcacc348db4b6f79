/*
 * dockerfile_plan - a Dockerfile as steps: what is copied and run in which stage, under which key.
 *
 * The key of a step is a SHA-256 over the key before it and all that the step depends on: its
 * words, its environment, its user and directory, the hosts that it may reach, the content of what
 * it copies. The first one is the base's id. Each part says how long it is, so no two plans have
 * the same text.
 *
 * Making a plan opens the bases and reads the context; nothing is run, and what is wrong with the
 * file is found before anything is.
 *
 * Runs: glovebox-image. Needs: read access to the context and to images.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_PLAN_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_PLAN_H

#include "base/err.h"
#include "dockerfile_step.h"

/* @out  owned, also on errors: end with plan_fini(). Errors begin with the line. */
int plan_make(const struct plan_request *q, struct plan *out, struct err *e);
void plan_fini(struct plan *p);
#define auto_plan __attribute__((cleanup(plan_fini)))

#endif
