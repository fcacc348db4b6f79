/*
 * preload - the modules that a warm Python imports in advance, as they are written: "numpy,pandas".
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
 * preload_check - whether it is a list of modules. It becomes an argument of our own Python.
 * @value  NULL: nothing was said.
 */
int preload_check(const char *value, struct err *e);

#endif
