/*
 * cage - give up everything but the network: what reads hostile bytes holds nothing else.
 *
 *	ids       those of nobody, if it was started by root
 *	caps      none, and none to be gained
 *	landlock  no file but the two that say how names are resolved (kernel 5.13)
 *	limits    no process, no core dump, bounded memory and files
 *	seccomp   policy/egress.json
 *
 * Runs: glovebox-egress, once it has the sandbox's sockets. Needs: of root CAP_SETUID and
 *CAP_SETGID.
 */
#ifndef GLOVEBOX_EGRESS_CAGE_H
#define GLOVEBOX_EGRESS_CAGE_H

#include "base/err.h"

/* Errors: ERR_SYSTEM; the process must not go on. There is no way back. */
int cage_enter(struct err *e);

#endif
