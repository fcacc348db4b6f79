/*
 * load - make a server load its model in the background.
 *
 * A request without messages loads the model, and is answered when it is loaded. A server stops
 * loading if the client disconnects, so a child process waits for the answer; it has none of our
 * descriptors, and dies with us.
 *
 * Runs: the agent, before the first request to a model.
 */
#ifndef GLOVEBOX_AGENT_LOAD_H
#define GLOVEBOX_AGENT_LOAD_H

#include <sys/types.h>

#include "agent/loop.h"

/*
 * load_start - load the model of a loop; cancel the load of the model before it.
 *
 * Does nothing if the server cannot load, or is not used. l->loading becomes the child; the owner
 * of the loop ends it with load_end(). The request has the parameters of later ones, without
 * messages: with another context size the server would load the model again.
 */
void load_start(struct agent_loop *l);

/* Cancel the load: end the child, if there is one, and set *child to -1. */
void load_end(pid_t *child);

#endif
