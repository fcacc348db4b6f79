/*
 * state_dir - the directory of persistent state: $XDG_STATE_HOME/glovebox, or
 * ~/.local/state/glovebox.
 *
 * Touches the OS. Runs: anywhere outside.
 */
#ifndef GLOVEBOX_FS_STATE_DIR_H
#define GLOVEBOX_FS_STATE_DIR_H

#include <stdbool.h>

#include "base/err.h"

/*
 * state_dir - its path, which may not exist yet; touches nothing. The caller frees it.
 *
 * @of_machine  root's state is the machine's: /var/lib/glovebox, unless XDG_STATE_HOME is set.
 * Returns NULL with ERR_INPUT, which names the remedy, if HOME is not set.
 */
char *state_dir(bool of_machine, struct err *e);

/*
 * state_dir_open - open a directory of the machine's state, which must be ours alone.
 *
 * @name  below the directory of state.
 * @make  make it with its parents; false: -1 with ERR_NONE where there never was one.
 * Returns an owned descriptor, or -1: ERR_INPUT with the remedy.
 */
int state_dir_open(const char *name, bool make, struct err *e);

#endif
