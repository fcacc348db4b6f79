/*
 * sight - send pictures that code made to a model that can see.
 *
 * Pictures are in a message of their own behind the results of a round, because some protocols do
 * not allow them in results.
 *
 * Touches the OS: reads files of /output, which programs may replace; links out of it are not
 * followed. The agent checks a file as it does for a terminal (agent/show/images.h), because the
 * model's server decodes it.
 */
#ifndef GLOVEBOX_AGENT_SIGHT_H
#define GLOVEBOX_AGENT_SIGHT_H

#include "agent/loop.h"

/* Note the pictures that an execution made. */
void sight_note(struct task *t, const struct execution *x);

/* Send the noted pictures to the model, if it can see. */
void sight_show(struct task *t);

#endif
