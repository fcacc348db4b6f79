/*
 * fallback - continue with less when a server refuses tools or thinking, and tell the user when it
 * does less than was asked.
 *
 * No side effects, except requests to the server.
 */
#ifndef GLOVEBOX_AGENT_FALLBACK_H
#define GLOVEBOX_AGENT_FALLBACK_H

#include "agent/loop.h"

/* Before the first request: find out what to offer. -1: no server there, or it lacks this model. */
int fallback_look_up(struct loop *l, enum model_failure *why, struct err *e);

/* After a failure. true: ask again, with less. */
bool fallback_step(struct loop *l, enum model_failure why);

/* After a reply: print warnings, each once. */
void fallback_check(struct loop *l, const struct chat_reply *reply);

#endif
