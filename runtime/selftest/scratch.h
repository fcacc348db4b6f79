/*
 * scratch - the temporary directory of one selftest; removes those of killed selftests.
 *
 * Its lock marks it as in use. The kernel releases the lock when the holder ends.
 *
 * Touches the OS. Runs: `glovebox selftest`. Needs: a directory of temporary files.
 */
#ifndef GLOVEBOX_SELFTEST_SCRATCH_H
#define GLOVEBOX_SELFTEST_SCRATCH_H

#include "base/err.h"

struct scratch {
	int base;      /* the directory of temporary files */
	int lock;      /* our own in it, locked */
	char path[96]; /* empty: none */
	char base_path[60];
};

/*
 * scratch_open - make one, and remove this user's unlocked ones.
 * Errors: ERR_SYSTEM. End with scratch_close() in any case.
 */
int scratch_open(struct scratch *s, struct err *e);
void scratch_close(struct scratch *s);

#endif
