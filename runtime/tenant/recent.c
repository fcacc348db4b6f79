/*
 * recent - the last executions of one key.
 */
#include "tenant/recent.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"

void recent_add(struct recent **recent, const struct audit_record *record,
		const struct verdict *verdict, const struct err *failure)
{
	struct recent *r = *recent ? *recent : own_zeroed(1, sizeof(*r));
	struct recent_entry *entry = &r->entries[r->next];

	*recent = r;
	*entry = (struct recent_entry){.operation = record->operation};
	clock_utc_ms(entry->time);
	memcpy(entry->request_id, record->request_id, sizeof(entry->request_id));
	memcpy(entry->session, record->session, sizeof(entry->session));
	if (verdict) {
		entry->has_verdict = true;
		entry->verdict = verdict->kind;
		entry->exit_code = verdict->exit_code;
		entry->duration_us = verdict->duration_us;
	} else if (failure) {
		snprintf(entry->error, sizeof(entry->error), "%.*s", RECENT_ERROR - 1,
			 failure->text);
	}
	r->next = (r->next + 1) % RECENT_MOST;
	r->count += r->count < RECENT_MOST;
}

const struct recent_entry *recent_at(const struct recent *recent, unsigned before)
{
	return recent && before < recent->count
		       ? &recent->entries[(recent->next + RECENT_MOST - 1 - before) % RECENT_MOST]
		       : NULL;
}
