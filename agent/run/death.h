/*
 * death - how a session ended that was lost, as an execution.
 *
 * Runs: the agent. The status is what pid 1 of the cell reported, which is ours; that there is
 * none means that it was killed before it could.
 */
#ifndef GLOVEBOX_AGENT_DEATH_H
#define GLOVEBOX_AGENT_DEATH_H

#include "agent/data/execution.h"
#include "cell/session.h"

/* Fill in verdict and exit code. @s  not closed yet, with the cgroups of its cell. */
void death_read(const struct session *s, const struct session_call *call, struct execution *out);

#endif
