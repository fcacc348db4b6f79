/*
 * state_dir - the directory of persistent state: $XDG_STATE_HOME/glovebox, or
 * ~/.local/state/glovebox.
 */
#include "base/state_dir.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/own.h"
#include "base/private_dir.h"

char *state_dir(bool of_machine, struct err *e)
{
	const char *named = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (named && *named == '/')
		return own_printf("%s/glovebox", named);
	if (of_machine && geteuid() == 0)
		return own_strdup("/var/lib/glovebox");
	if (home && *home == '/')
		return own_printf("%s" PRIVATE_DIR_STATE, home);
	(void)err_input(e, "no place for persistent state: set HOME or XDG_STATE_HOME");
	return NULL;
}
