/*
 * fallback - going on with less when a server refuses tools or thinking, and telling the user
 * when it does less than was asked.
 *
 * No side effects, but for requests to the server.
 */
#ifndef GLOVEBOX_AGENT_FALLBACK_H
#define GLOVEBOX_AGENT_FALLBACK_H

#include "agent/loop.h"

/* Before the first request: what to offer. -1: no server there, or not this model. */
int fallback_look_up(struct loop *l, enum model_failure *why, struct err *e);

/* After a failure. true: ask again, something was taken back. */
bool fallback_step(struct loop *l, enum model_failure why);

/* After a reply: warnings, once. */
void fallback_check(struct loop *l, const struct chat_reply *reply);

#endif
