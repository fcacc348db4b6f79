/*
 * load - have a server load its model while nobody waits for it.
 *
 * A request without messages does that, and is answered when the model is there. A server stops
 * loading for a client that has left, so a child process waits for the answer; it has none of our
 * descriptors, and is ended with us.
 *
 * Runs: the agent, before the first request to a model.
 */
#ifndef GLOVEBOX_AGENT_LOAD_H
#define GLOVEBOX_AGENT_LOAD_H

#include <sys/types.h>

#include "agent/loop.h"

/*
 * load_start - have the model of a loop loaded, and no longer the one before it.
 *
 * Does nothing where a server cannot, or is not asked. l->loading becomes the child; who begins a
 * loop ends it with load_end(). The request is like the later ones, without their messages: with
 * another context the server would load the model again.
 */
void load_start(struct agent_loop *l);

/* Wait no longer: end the child, if there is one, and set *child to -1. */
void load_end(pid_t *child);

#endif
