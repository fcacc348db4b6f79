/*
 * finish - what spec_init() and spec_finish() have in common.
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_FINISH_H
#define GLOVEBOX_SPEC_FINISH_H

#include "spec/spec.h"

/* Make limits of what was asked, and of defaults where nothing was. */
void spec_decide_limits(struct sandbox_spec *s);

#endif
