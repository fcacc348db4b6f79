/*
 * setup_look - collect the facts of setup_plan.h before `glovebox setup user` changes anything.
 *
 * It reads another system's files directly: NSS would look up users of this one.
 *
 * Runs: `glovebox setup`. Needs: to read them.
 */
#ifndef GLOVEBOX_ADMIN_SETUP_LOOK_H
#define GLOVEBOX_ADMIN_SETUP_LOOK_H

#include "admin/setup_plan.h"
#include "base/err.h"

/*
 * setup_look - collect all facts.
 *
 * @user     a name, or a number; without systemd, also a number that no account has.
 * @root_fd  from setup_file_root(); borrowed.
 * @layout   of another system; for this one it is detected.
 */
int setup_look(const char *user, int root_fd, bool is_elsewhere, enum setup_layout layout,
	       struct setup_facts *facts, struct err *e);

#endif
