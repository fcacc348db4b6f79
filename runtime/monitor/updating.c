/*
 * updating - change the limits of a sandbox that stays while it runs.
 */
#include "monitor/updating.h"

#include "base/list.h"

int updating_do(struct run *run, const struct record_kept *record, const struct monitor_request *r,
		struct err *e)
{
	const struct limits before = run_limits(run);
	const struct word *words = r->argv.items;
	auto_list struct list flags = {0};
	struct err ignored;

	for (unsigned i = 0; i < r->argv.count; i++)
		list_add(&flags, words[i].text);
	/* The deadline comes last, because it cannot be put back. */
	if (run_update(run, &r->limits, false, e))
		return -1;
	if (!record_put_update(record->dir, &flags, &r->limits, e))
		return r->timed ? run_update(run, &r->limits, true, e) : 0;
	(void)run_update(run, &before, false, &ignored);
	return -1;
}
