/*
 * omit - leave out a layer of files and records, in the testing build.
 *
 * As host/omit.h, which stands above this room; see tests/README.md.
 *
 * No side effects. Runs: anywhere outside. Needs: nothing.
 */
#ifndef GLOVEBOX_FS_OMIT_H
#define GLOVEBOX_FS_OMIT_H

#include <stdbool.h>

#ifdef GLOVEBOX_TESTING
#include <stdlib.h>
#include <string.h>

/* Whether GLOVEBOX_OMIT names this layer; always false in an ordinary build. */
static inline bool fs_omits(const char *name)
{
	const char *omit = getenv("GLOVEBOX_OMIT");

	return omit && strstr(omit, name);
}
#else
#define fs_omits(name) false
#endif

#endif
