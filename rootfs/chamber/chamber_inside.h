/*
 * chamber_inside - pid 1 of a chamber: make its root, become its root user, start the program.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_CHAMBER_INSIDE_H
#define GLOVEBOX_ROOTFS_CHAMBER_CHAMBER_INSIDE_H

#include "base/err.h"
#include "chamber.h"

struct chamber_ends {
	int go; /* a byte arrives when the ids are mapped; end of file: the builder has exited */
	int report;  /* closed when the program has been executed, or the task starts */
	int out;     /* the program's stdout */
	int log;     /* its stderr */
	int network; /* `inner` of struct egress; -1: none */
};

/* chamber_inside - returns only with an error, for the builder. */
void chamber_inside(const struct chamber_step *step, const struct chamber_ends *ends,
		    struct err *e);

#endif
