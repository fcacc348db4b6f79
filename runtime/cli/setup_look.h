/*
 * setup_look - what is there before `glovebox setup user` does anything: the facts of setup_plan.h.
 *
 * All of another system is read in its own files: users without NSS, which would ask this one.
 *
 * Runs: `glovebox setup`. Needs: to read them.
 */
#ifndef GLOVEBOX_CLI_SETUP_LOOK_H
#define GLOVEBOX_CLI_SETUP_LOOK_H

#include "base/err.h"
#include "cli/setup_plan.h"

/*
 * setup_look - find everything out.
 *
 * @user     a name, or the number of one or of nobody.
 * @root_fd  from setup_file_root(); borrowed.
 * @layout   of a system elsewhere; of this one, which runs, it is found.
 */
int setup_look(const char *user, int root_fd, bool is_elsewhere, enum setup_layout layout,
	       struct setup_facts *facts, struct err *e);

#endif
