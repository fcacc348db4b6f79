/*
 * pip_constraints - pass the files that PIP_CONSTRAINT names to pip in a chamber.
 *
 * The variable contains paths and URLs, separated by blanks. The new root does not have those
 * paths: we copy each file, and name the copy.
 */
#ifndef GLOVEBOX_ROOTFS_DEBIAN_PIP_CONSTRAINTS_H
#define GLOVEBOX_ROOTFS_DEBIAN_PIP_CONSTRAINTS_H

#include "base/err.h"
#include "base/list.h"
#include "rootfs/chamber/chamber_root.h"

/* Check before the build that each file can be read. */
int pip_constraints_check(struct err *e);

/* Add the copies; hooks/wheels.sh passes them on. */
void pip_constraints_show(struct chamber_inputs *inputs);

/* Set PIP_CONSTRAINT for pip in the chamber, if the caller has set it. */
void pip_constraints_set(struct list *env);

#endif
