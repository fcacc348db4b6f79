/*
 * scratch - the temporary directory of one selftest, and those of selftests that were killed.
 *
 * Its lock says that it is in use. It ends with its holder, however that ends.
 *
 * Touches the OS. Runs: `glovebox selftest`. Needs: a directory of temporary files.
 */
#ifndef GLOVEBOX_SELFTEST_SCRATCH_H
#define GLOVEBOX_SELFTEST_SCRATCH_H

#include "base/err.h"

struct scratch {
	int base;      /* the directory of temporary files */
	int lock;      /* ours in it, locked */
	char path[96]; /* empty: there is none */
	char base_path[60];
};

/*
 * scratch_open - make one, and remove those of this user that nobody has locked.
 * Errors: ERR_SYSTEM. Ended by scratch_close() in any case.
 */
int scratch_open(struct scratch *s, struct err *e);
void scratch_close(struct scratch *s);

#endif
