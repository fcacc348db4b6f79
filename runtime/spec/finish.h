/*
 * finish - the part that spec_init() and spec_finish() share. No side effects.
 */
#ifndef GLOVEBOX_SPEC_FINISH_H
#define GLOVEBOX_SPEC_FINISH_H

#include "spec/spec.h"

/* Set the limits from the flags given, and from defaults otherwise. */
void spec_decide_limits(struct sandbox_spec *s);

#endif
