/*
 * history - the file in which a prompt keeps typed lines.
 */
#include "prompt/history.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/own.h"
#include "fs/state_dir.h"
#include "fs/trusted_path.h"

const char *history_path(const char *name, char *out, size_t size)
{
	struct err ignored;
	auto_free char *folder = state_dir(false, &ignored);
	auto_fd int made = -1;
	int n;

	if (!folder)
		return NULL;
	made = trusted_path_make(written_path(folder), LINKS_OF_CALLER, &ignored);
	if (made < 0)
		return NULL;
	n = snprintf(out, size, "%s/%s", folder, name);
	return n > 0 && (size_t)n < size ? out : NULL;
}
