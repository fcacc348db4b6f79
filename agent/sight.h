/*
 * sight - pictures that code left go back to a model that can see.
 *
 * They come in a message of their own behind the results of a round, because results have no place
 * for them in every protocol.
 *
 * Touches the OS: reads files of /output, which programs can exchange; nothing leads out of it.
 * The agent checks the file as it does for a terminal (agent/show/images.h): the model's server
 * decodes it.
 */
#ifndef GLOVEBOX_AGENT_SIGHT_H
#define GLOVEBOX_AGENT_SIGHT_H

#include "agent/loop.h"

/* Remember the pictures that an execution has left. */
void sight_note(struct task *t, const struct execution *x);

/* Show those of the round to the model, if it can see. */
void sight_show(struct task *t);

#endif
