/*
 * cage - give up everything but the network: the process that reads hostile bytes holds nothing
 * else.
 *
 * ids       those of nobody, if root started it
 * caps      none, and no way to gain one
 * landlock  only the two files that configure name resolution (kernel 5.13)
 * 	limits    no process, no core dump, bounded memory and files
 * 	seccomp   policy/egress.json
 *
 * Runs: glovebox-egress, once it has the sandbox's sockets. Needs: CAP_SETUID and CAP_SETGID, if
 * root started it.
 */
#ifndef GLOVEBOX_EGRESS_CAGE_H
#define GLOVEBOX_EGRESS_CAGE_H

#include "base/err.h"

/* cage_enter - irreversible. Errors: ERR_SYSTEM; the process must exit then. */
int cage_enter(struct err *e);

#endif
