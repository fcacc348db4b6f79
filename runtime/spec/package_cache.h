/*
 * package_cache - --cache pip: the user's directory of wheels, read-only in a sandbox.
 *
 * `glovebox cache` fills it (cli/cache_pip.c). Many sandboxes share it, and none can write to it.
 */
#ifndef GLOVEBOX_SPEC_PACKAGE_CACHE_H
#define GLOVEBOX_SPEC_PACKAGE_CACHE_H

#include "base/err.h"
#include "spec/spec.h"

#define PACKAGE_CACHE_WHEELS "wheels" /* in cache_dir() */
#define PACKAGE_CACHE_PLACE  "/opt/glovebox/wheels"

/*
 * package_cache_finish - add the mount, where --cache is given.
 * Errors: ERR_INPUT if there is no cache yet; the text says how to fill one.
 */
int package_cache_finish(struct sandbox_spec *s, struct err *e);

/*
 * The variables by which pip finds it, ended by NULL. Without a list of hosts pip is also told that
 * there is no index: it would try one for a minute.
 */
const char *const *package_cache_variables(const struct sandbox_spec *s);

#endif
