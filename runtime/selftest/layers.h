/*
 * layers - the promises about a sandbox: one row per layer, named like its step in
 * inside/confine.c, if it has one.
 *
 * No side effects, except that some rows try something to find out whether it is promised here.
 * Runs: `glovebox selftest`. Needs: nothing.
 */
#ifndef GLOVEBOX_SELFTEST_LAYERS_H
#define GLOVEBOX_SELFTEST_LAYERS_H

#include <stdbool.h>

#include "base/err.h"

struct layer {
	const char *name;
	const char *promise;
	/* 0, or -1 with *e: why it is not promised here. NULL: always promised. */
	int (*is_here)(struct err *e);
};

extern const struct layer layers[]; /* ends with a null name */

/* NULL: no layer has that name. */
const struct layer *layer_find(const char *name);

/* Whether a list "a b c" has the name. */
bool layer_is_in(const struct layer *l, const char *list);

#endif
