/*
 * chamber_inside - pid 1 of a chamber: makes its root, becomes its root user, starts the program.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_INSIDE_H
#define GLOVEBOX_ROOTFS_CHAMBER_INSIDE_H

#include "base/err.h"
#include "chamber.h"

/*
 * chamber_inside - returns only with an error, for the builder.
 *
 * @go      a byte arrives when the ids are mapped; the other end lives as long as the builder
 * @report  closed when the program has been executed
 * @out     the program's stdout; @log its stderr
 */
void chamber_inside(const struct chamber_step *step, int go, int report, int out, int log,
		    struct err *e);

#endif
