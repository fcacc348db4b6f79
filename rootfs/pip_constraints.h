/*
 * pip_constraints - the files that PIP_CONSTRAINT names, on their way to pip in a chamber.
 *
 * The variable holds paths and URLs, with blanks in between. A path means nothing in the new root:
 * the file is copied, and named there.
 */
#ifndef GLOVEBOX_ROOTFS_PIP_CONSTRAINTS_H
#define GLOVEBOX_ROOTFS_PIP_CONSTRAINTS_H

#include "base/err.h"
#include "base/list.h"
#include "chamber_root.h"

/* Check that each file can be read, before anything is made. */
int pip_constraints_check(struct err *e);

/* Add the copies; hooks/wheels.sh passes them on. */
void pip_constraints_show(struct chamber_inputs *inputs);

/* Set PIP_CONSTRAINT for pip in the chamber, if the caller has one. */
void pip_constraints_set(struct list *env);

#endif
