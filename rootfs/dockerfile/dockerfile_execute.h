/*
 * dockerfile_execute - perform the steps of a plan, or apply the results of earlier builds.
 *
 * Runs: glovebox-image. Needs: those of a chamber.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_EXECUTE_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_EXECUTE_H

#include "dockerfile_room.h"
#include "dockerfile_step.h"

/*
 * Make the root of the plan's target, in stage directory `target` of the room. Errors begin with
 * the line.
 */
int dockerfile_execute(const struct plan *p, const struct store *store, struct dockerfile_room *r,
		       struct err *e);

#endif
