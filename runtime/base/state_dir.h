/*
 * state_dir - the directory of persistent state: $XDG_STATE_HOME/glovebox, or
 * ~/.local/state/glovebox.
 *
 * Reads the environment; touches nothing.
 */
#ifndef GLOVEBOX_BASE_STATE_DIR_H
#define GLOVEBOX_BASE_STATE_DIR_H

#include <stdbool.h>

#include "base/err.h"

/*
 * state_dir - its path, which may not exist yet. The caller frees it.
 *
 * @of_machine  root's state is the machine's: /var/lib/glovebox, unless XDG_STATE_HOME is set.
 * Returns NULL with ERR_INPUT, which names the remedy, if HOME is not set.
 */
char *state_dir(bool of_machine, struct err *e);

#endif
