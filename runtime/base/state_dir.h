/*
 * state_dir - where what must stay is kept: $XDG_STATE_HOME/glovebox, or ~/.local/state/glovebox.
 *
 * Reads the environment; touches nothing.
 */
#ifndef GLOVEBOX_BASE_STATE_DIR_H
#define GLOVEBOX_BASE_STATE_DIR_H

#include <stdbool.h>

#include "base/err.h"

/*
 * state_dir - its path; it need not be there. The caller frees it.
 *
 * @of_machine  what root keeps is the machine's, not his own: /var/lib/glovebox, unless
 *              XDG_STATE_HOME is set.
 * Returns NULL with ERR_INPUT, which names the remedy, if there is no home.
 */
char *state_dir(bool of_machine, struct err *e);

#endif
