/*
 * keys_command - `glovebox serve key`: make, list and remove the keys of a server.
 *
 * Runs: a command of its own. Needs: write access to the file and its directory.
 */
#ifndef GLOVEBOX_TENANT_KEYS_COMMAND_H
#define GLOVEBOX_TENANT_KEYS_COMMAND_H

#include "base/buf.h"

/*
 * keys_command - @argv[0] is "key", argv[1] the command. Returns the exit status; errors are
 * printed.
 */
int keys_command(int argc, char **argv);

/* Describe the commands for the help, the manual page and the completion of `glovebox serve`. */
void keys_command_help(struct buf *out);
void keys_command_man(struct buf *out);
void keys_command_words(struct buf *out);

#endif
