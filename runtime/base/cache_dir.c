/*
 * cache_dir - where what can be made again is kept: $XDG_CACHE_HOME/glovebox, or ~/.cache/glovebox.
 */
#include "base/cache_dir.h"

#include <unistd.h>

#include "base/own.h"

char *cache_dir(struct err *e)
{
	const char *named = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (named && *named == '/')
		return own_printf("%s/glovebox", named);
	if (geteuid() == 0)
		return own_strdup("/var/cache/glovebox");
	if (home && *home == '/')
		return own_printf("%s/.cache/glovebox", home);
	(void)err_input(e, "there is no place for a cache: set HOME or XDG_CACHE_HOME");
	return NULL;
}
