/*
 * name_lock - --name: no two running sandboxes of a user have the same name.
 *
 * A name is a locked file in a directory that only the user can use (base/private_dir.h;
 * /run/glovebox for root, whatever XDG_RUNTIME_DIR says). The lock ends with its holder, so a
 * killed monitor leaves no stale name behind.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_NAME_LOCK_H
#define GLOVEBOX_CLI_NAME_LOCK_H

#include "base/err.h"

/* @name may be NULL: nothing is done. *fd is owned by the caller until name_unlock(). */
int name_lock(const char *name, int *fd, struct err *e);
void name_unlock(const char *name, int *fd);

#endif
