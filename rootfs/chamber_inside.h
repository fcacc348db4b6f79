/*
 * chamber_inside - pid 1 of a chamber: makes its root, becomes its root user, starts the program.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_INSIDE_H
#define GLOVEBOX_ROOTFS_CHAMBER_INSIDE_H

#include "base/err.h"
#include "chamber.h"

struct chamber_ends {
	int go;      /* a byte arrives when the ids are mapped; it ends with the builder */
	int report;  /* closed when the program has been executed, or the task begins */
	int out;     /* the program's stdout */
	int log;     /* its stderr */
	int network; /* of struct egress: inner; -1: none */
};

/* chamber_inside - returns only with an error, for the builder. */
void chamber_inside(const struct chamber_step *step, const struct chamber_ends *ends,
		    struct err *e);

#endif
