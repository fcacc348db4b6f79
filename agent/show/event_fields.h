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

const char *event_kind_name(enum event_kind kind);
const char *event_outcome_name(enum outcome outcome);
const char *event_verdict_name(enum execution_verdict verdict);
const char *event_role_name(enum chat_role role);

/* A whole object: one message. Empty members are left out, but for role and content. */
void event_fields_message(struct buf *out, const struct chat_message *m);

void event_fields_reply(struct buf *out, const struct chat_reply *r);
void event_fields_execute(struct buf *out, const struct event *event);
void event_fields_executed(struct buf *out, const struct event *event);
void event_fields_result(struct buf *out, const struct task_result *r);

/* "text": of the event. */
void event_fields_text(struct buf *out, const struct event *event);

#endif
