/*
 * event_fields - the JSON members that --json and a transcript have in common.
 *
 * Each function appends members `"key":value` with commas between them, none before or
 * after. The keys are described in event_json.h.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_EVENT_FIELDS_H
#define GLOVEBOX_AGENT_EVENT_FIELDS_H

#include "agent/data/event.h"

/* "task", "request", ... */
const char *event_kind_name(enum event_kind kind);

/* A whole object, not members: one message. Empty members are left out, but for role and content.
 */
void event_fields_message(struct buf *out, const struct chat_message *m);

/* Those of an event, by its kind; none of a piece and of a request, which each has of its own. */
void event_fields(struct buf *out, const struct event *event);

#endif
