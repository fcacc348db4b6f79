/*
 * event_fields - the JSON members that --json and a transcript share.
 *
 * Each function appends to the current object (json_put.h). The keys are described in event_json.h.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_EVENT_FIELDS_H
#define GLOVEBOX_AGENT_EVENT_FIELDS_H

#include "agent/data/event.h"

/* "task", "request", ... */
const char *event_kind_name(enum event_kind kind);

/* One message as a whole object. Empty members are left out, except role and content. */
void event_fields_message(struct buf *out, const struct chat_message *m);

/*
 * The members of an event, by its kind; none for a piece and a request, which both have their own.
 */
void event_fields(struct buf *out, const struct event *event);

#endif
