/*
 * said - the answer to a question about files (base/files_said.h).
 *
 * Touches the OS. Runs: mover. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_SAID_H
#define GLOVEBOX_MOVER_SAID_H

#include "base/files_said.h"

extern struct files_said said;

/* Only the first one counts. @path: where; NULL: at what was asked for. @error: a negative errno.
 */
void said_error(const char *path, long error);
void said_wrong(const char *path, enum files_wrong wrong);

/* Write the answer to descriptor 2, and exit. */
__attribute__((noreturn)) void said_end(void);

#endif
