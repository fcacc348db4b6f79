/*
 * filter_guard - rules that no profile can undo: they refuse calls that delay the end of a sandbox,
 * and memory that no limit counts.
 *
 * The shipped profile and a user's own (--security-opt seccomp=FILE) both get these rules on top;
 * only "seccomp=unconfined", which asks for no filter at all, omits them. They protect the
 * machinery and the host's other processes rather than bound what a program may do, so they are in
 * code and not in policy/python.json.
 *
 * No side effects.
 *
 * Runs: the build, monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_SECCOMP_FILTER_GUARD_H
#define GLOVEBOX_SECCOMP_FILTER_GUARD_H

#include "seccomp/seccomp_profile.h"

/* Add the rules. The strictest rule of a call decides, so nothing that @p allows undoes them. */
void filter_guard_add(struct seccomp_profile *p);

#endif
