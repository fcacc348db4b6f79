/*
 * omit - whether a layer that is on the host's side is left out, in the testing build.
 *
 * As confine_omitted() for those inside; see tests/README.md.
 */
#ifndef GLOVEBOX_HOST_OMIT_H
#define GLOVEBOX_HOST_OMIT_H

#include <stdbool.h>

#ifdef GLOVEBOX_TESTING
#include "inside/confine.h"

#include <stdlib.h>

static inline bool host_omits(const char *name)
{
	const struct inside_plan plan = {.omit = getenv("GLOVEBOX_OMIT")};

	return confine_omitted(&plan, name);
}
#else
#define host_omits(name) false
#endif

#endif
