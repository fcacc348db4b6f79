/*
 * writable - --writable[=SIZE]: changes to the root, kept in memory while the sandbox lives.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_WRITABLE_H
#define GLOVEBOX_SPEC_WRITABLE_H

#include "base/err.h"
#include "spec/spec.h"

/* The row's parser. @value: a size, true or false. @spec: a struct sandbox_spec. */
int writable_flag(void *spec, const char *value, struct err *e);

/*
 * writable_finish - decide the size, once the memory limit is known. `docker run -d` has such a
 * root without the flag. Errors: ERR_INPUT if the root is asked to be read-only as well.
 */
int writable_finish(struct sandbox_spec *s, struct err *e);

#endif
