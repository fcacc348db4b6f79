/*
 * become - from root to the ordinary user that serves.
 *
 * What parses requests should have nothing that is worth taking over. So root's server becomes the
 * user whom --as names, for good, and with it all that it starts: supervisor, nursery and cells
 * are that user's, as if he had started them.
 *
 * Runs: glovebox-serve, once its flags are known, before it opens anything or starts anybody.
 * Needs: CAP_SETUID and CAP_SETGID if it is root.
 */
#ifndef GLOVEBOX_SERVE_BECOME_H
#define GLOVEBOX_SERVE_BECOME_H

#include "base/err.h"

/*
 * become_user - have the ids and the home of a user, and no group but his own.
 *
 * @who  a name, or a number; NULL or the user that we are: nothing changes. "root" stays root.
 * XDG directories of the environment are root's: only /run/user/UID is set, if there is one.
 * Errors: ERR_NOT_FOUND: no such user; ERR_INPUT: only root becomes somebody else; ERR_SYSTEM.
 */
int become_user(const char *who, struct err *e);

#endif
