/*
 * sessions_list - the sessions of a supervisor, as it lists them.
 */
#include <stdlib.h>

#include "base/own.h"
#include "loop/clock.h"
#include "warm/sessions.h"

static int sessions_list_by_number(const void *a, const void *b)
{
	uint64_t x = (*(const struct kept_session *const *)a)->number;
	uint64_t y = (*(const struct kept_session *const *)b)->number;

	return (x > y) - (x < y);
}

/* The one that is wanted. Returns how many that are. */
static unsigned sessions_list_one(struct sessions *s, const struct sessions_request *request,
				  uint64_t now_us, struct session_entry *out)
{
	struct err ignored;
	const struct kept_session *k = sessions_find(s, request->name, &ignored);

	if (!k)
		return 0;
	*out = kept_session_describe(k, request->usage, now_us);
	out->cpu_us = request->usage ? kept_session_cpu_us(k) : 0;
	return 1;
}

void sessions_list(struct sessions *s, const struct sessions_request *request,
		   struct sessions_answer *out)
{
	uint64_t now_us = monotonic_us();
	unsigned count = sessions_check(s, now_us);
	auto_free const struct kept_session **in_order = own_zeroed(count + 1, sizeof(void *));
	struct session_entry *entries = own_zeroed(SESSIONS_PAGE, sizeof(*entries));
	unsigned listed = 0;
	unsigned i;

	if (*request->name) {
		*out = (struct sessions_answer){
			.sessions = {entries, sessions_list_one(s, request, now_us, entries)}
                };
		return;
	}
	for (i = 0; i < count; i++)
		in_order[i] = &s->items[i];
	qsort(in_order, count, sizeof(void *), sessions_list_by_number);
	for (i = 0; i < count && listed < SESSIONS_PAGE; i++) {
		if (in_order[i]->number > request->after)
			entries[listed++] =
				kept_session_describe(in_order[i], request->usage, now_us);
	}
	*out = (struct sessions_answer){
		{entries, listed},
                i < count ? in_order[i - 1]->number : 0
        };
}
