/*
 * preload - check a list of modules that a warm Python imports in advance: "numpy,pandas".
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_PRELOAD_H
#define GLOVEBOX_SPEC_PRELOAD_H

#include "base/err.h"

#define PRELOAD_WORDS "those of the image's recipe"
#define PRELOAD_HELP                                                                               \
	"modules to import in advance, such as numpy,pandas; \"\": none. A warm supervisor of "    \
	"the user's serves if it has the same"

/*
 * preload_check - refuse what is not a list of module names: it becomes an argument of our Python.
 * @value  NULL: not given.
 */
int preload_check(const char *value, struct err *e);

#endif
