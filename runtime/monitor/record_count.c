/*
 * record_count - bound how many sandboxes that stay a user has.
 */
#include "monitor/record_count.h"

#include <inttypes.h>
#include <sys/file.h>

#include "fs/lock.h"
#include "fs/names.h"
#include "record/record.h"

#define LOCK_US      10000000
#define MOST_RECORDS 1100000 /* more than a file can say */

int record_count_check(int folder, const struct sandbox_spec *spec, struct err *e)
{
	auto_list struct list names = {0};
	uint64_t there = 0;

	if (!spec->sandboxes_bound)
		return 0;
	if (lock_within(folder, LOCK_EX, LOCK_US))
		return err_set(e, ERR_BUSY, "other processes are making sandboxes: try again");
	if (names_read(folder, MOST_RECORDS, &names) < 0)
		return err_sys(e, "count the sandboxes");
	for (size_t i = 0; i < names.count; i++)
		there += record_is_id(names.items[i]);
	if (there < spec->most_sandboxes)
		return 0;
	return err_set(e, ERR_LIMIT,
		       "there are %" PRIu64 " sandboxes, and \"sandboxes\" is %" PRIu64
		       " in %.300s: remove one (rm)",
		       there, spec->most_sandboxes, spec->sandboxes_bound);
}
