/*
 * history - the file in which a prompt keeps typed lines.
 *
 * Touches the OS: makes a directory.
 */
#ifndef GLOVEBOX_PROMPT_HISTORY_H
#define GLOVEBOX_PROMPT_HISTORY_H

#include <stddef.h>

/*
 * history_path - $XDG_STATE_HOME/glovebox/NAME, or below ~/.local/state. Returns @out, or NULL:
 * HOME is not set, or not writable.
 */
const char *history_path(const char *name, char *out, size_t size);

#endif
