/*
 * source_hint - paths of the host that a shell, or another system, would have understood.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_SOURCE_HINT_H
#define GLOVEBOX_SPEC_SOURCE_HINT_H

#include "base/err.h"

/*
 * source_hint - refuse "~/data" and "C:\data", and name the path that was meant.
 * @text  a source, or a whole value of -v: SRC:DST.
 * Errors: ERR_INPUT. A directory that is called so is "./~".
 */
int source_hint(const char *text, struct err *e);

#endif
