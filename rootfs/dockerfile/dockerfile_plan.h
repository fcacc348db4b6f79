/*
 * dockerfile_plan - plan the steps of a Dockerfile: what to copy and run in which stage, under
 * which key.
 *
 * The key of a step is a SHA-256 over the previous key and all dependencies of the step: its words,
 * its environment, its user and directory, the hosts that it may reach, the content that it copies.
 * The base's id is the first. Each part includes its length, so no two plans have the same text.
 *
 * Making a plan opens the bases and reads the context, but runs nothing: errors of the file are
 * found before the first step.
 *
 * Runs: glovebox-image. Needs: read access to the context and to images.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_PLAN_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_PLAN_H

#include "base/err.h"
#include "dockerfile_step.h"

/* @out  owned, also on errors: end with plan_fini(). Errors begin with the line. */
int plan_make(const struct plan_request *q, struct plan *out, struct err *e);
void plan_fini(struct plan *p);
#define auto_plan __attribute__((cleanup(plan_fini)))

#endif
