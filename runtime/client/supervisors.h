/*
 * supervisors - the warm supervisors of a user: theirs, and those that faces have started for
 * themselves, which their entries in the registry name (client/registry.h).
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_SUPERVISORS_H
#define GLOVEBOX_CLIENT_SUPERVISORS_H

#include "base/err.h"
#include "client/registry.h"

/*
 * supervisors_find - which of them has a session of that name.
 * @where  out: "": the user's, which comes first.
 * Returns 0; 1: none has; -1 with *e: the user's does not answer.
 */
int supervisors_find(const char *name, char where[REGISTRY_SUPERVISOR], struct err *e);

/* client_drop() of a session, whoever has it. */
int supervisors_drop(const char *name, struct err *e);

#endif
