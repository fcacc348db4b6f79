/*
 * source_hint - host paths in the syntax of a shell or of another system.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_SOURCE_HINT_H
#define GLOVEBOX_SPEC_SOURCE_HINT_H

#include "base/err.h"

/*
 * source_hint - refuse "~/data" and "C:\data", and name the intended path.
 * @text  a source, or a whole value of -v: SRC:DST.
 * Errors: ERR_INPUT. A directory named "~" is "./~".
 */
int source_hint(const char *text, struct err *e);

#endif
