/*
 * omit - leave out a layer on the host's side, in the testing build.
 *
 * confine_omitted() does the same for layers inside; see tests/README.md.
 *
 * No side effects. Runs: monitor, supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_OMIT_H
#define GLOVEBOX_HOST_OMIT_H

#include <stdbool.h>

#ifdef GLOVEBOX_TESTING
#include "inside/confine.h"

#include <stdlib.h>

/* Whether GLOVEBOX_OMIT names this layer; always false in an ordinary build. */
static inline bool host_omits(const char *name)
{
	const struct inside_plan plan = {.omit = getenv("GLOVEBOX_OMIT")};

	return confine_omitted(&plan, name);
}
#else
#define host_omits(name) false
#endif

#endif
