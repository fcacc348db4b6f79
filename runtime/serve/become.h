/*
 * become - from root to the ordinary user that serves.
 *
 * What parses requests should have nothing that is worth taking over. So root's server becomes the
 * user whom --as names, for good, and with it all that it starts: supervisor, nursery and cells
 * are that user's, as if he had started them.
 *
 * Nothing of root's comes along: no descriptor (listen_keep() has closed them), no variable of the
 * environment but those that are listed in become.c, and no other process of that user can look
 * into this one.
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
 * HOME, USER, LOGNAME and XDG_RUNTIME_DIR (/run/user/UID, if there is one) are the user's then.
 * Texts of the environment that are not kept are overwritten: what is borrowed of them is gone.
 * Errors: ERR_NOT_FOUND: no such user; ERR_INPUT: only root becomes somebody else; ERR_SYSTEM.
 */
int become_user(const char *who, struct err *e);

#endif
