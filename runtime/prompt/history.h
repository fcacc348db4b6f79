/*
 * history - where a prompt keeps what was typed.
 *
 * Touches the OS: makes a directory.
 */
#ifndef GLOVEBOX_PROMPT_HISTORY_H
#define GLOVEBOX_PROMPT_HISTORY_H

#include <stddef.h>

/*
 * history_path - $XDG_STATE_HOME/glovebox/NAME, or below ~/.local/state.
 * Returns @out, or NULL: there is no home, or it cannot be written to.
 */
const char *history_path(const char *name, char *out, size_t size);

#endif
