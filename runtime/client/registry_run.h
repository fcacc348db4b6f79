/*
 * registry_run - the place of a sandbox in the registry (client/registry.h): its name, image and
 * command are its spec's.
 *
 * Runs: monitor, faces. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_REGISTRY_RUN_H
#define GLOVEBOX_CLIENT_REGISTRY_RUN_H

#include "client/registry.h"

struct sandbox; /* sandbox/sandbox.h */

/* registry_enter() for a sandbox. */
int registry_run_enter(const struct sandbox *s, struct registration *out, struct err *e);

/* The sandbox has started: the entry names the file that counts its memory. */
void registry_run_add_memory(const struct sandbox *s, const struct registration *r);

#endif
