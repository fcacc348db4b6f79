/*
 * become - switch from root to the ordinary user that serves.
 *
 * A process that parses requests should be worth nothing to an attacker. So root's server becomes
 * the user of --as, for good, with everything it starts: supervisor, nursery and cells belong to
 * that user as if he had started them.
 *
 * Root's descriptors are closed (listen_keep()), its environment is dropped except for the
 * variables listed in become.c, and other processes of that user cannot ptrace or read this one.
 *
 * Runs: glovebox-serve, once its flags are known, before it opens a file or starts a process.
 * Needs: CAP_SETUID and CAP_SETGID if it is root.
 */
#ifndef GLOVEBOX_SERVE_BECOME_H
#define GLOVEBOX_SERVE_BECOME_H

#include "base/err.h"

/*
 * become_user - take the ids and the home of a user, and no group but his own.
 *
 * @who  a name or a number; NULL or our own user: no change. "root" stays root.
 * HOME, USER, LOGNAME and XDG_RUNTIME_DIR (/run/user/UID, if it exists) are set for the user.
 * The texts of other variables are overwritten: pointers into them dangle.
 * Errors: ERR_NOT_FOUND: no such user; ERR_INPUT: we are not root; ERR_SYSTEM.
 */
int become_user(const char *who, struct err *e);

#endif
