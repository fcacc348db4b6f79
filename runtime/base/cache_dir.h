/*
 * cache_dir - where what can be made again is kept: $XDG_CACHE_HOME/glovebox, or ~/.cache/glovebox;
 * for root /var/cache/glovebox, unless XDG_CACHE_HOME is set.
 *
 * Reads the environment; touches nothing.
 */
#ifndef GLOVEBOX_BASE_CACHE_DIR_H
#define GLOVEBOX_BASE_CACHE_DIR_H

#include "base/err.h"

/*
 * cache_dir - its path; it need not be there. The caller frees it.
 * Returns NULL with ERR_INPUT, which names the remedy, if there is no home.
 */
char *cache_dir(struct err *e);

#endif
