/*
 * state_dir - the directory of persistent state: $XDG_STATE_HOME/glovebox, or
 * ~/.local/state/glovebox.
 */
#include "fs/state_dir.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/private_dir.h"
#include "fs/trusted_path.h"

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

int state_dir_open(const char *name, bool make, struct err *e)
{
	auto_free char *state = state_dir(true, e);
	auto_free char *path = state ? own_printf("%s/%s", state, name) : NULL;
	auto_fd int above = -1;

	if (!path)
		return -1;
	*e = (struct err){0};
	if (!make && access(path, F_OK))
		return -1;
	above = trusted_path_make(written_path(state), LINKS_OF_CALLER, e);
	if (above < 0)
		return -1;
	if (mkdirat(above, name, 0700) && errno != EEXIST)
		return err_sys(e, "make %.300s", path);
	return private_dir_open_at(above, name, path, e);
}
