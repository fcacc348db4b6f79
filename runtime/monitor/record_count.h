/*
 * record_count - bound how many sandboxes that stay a user has (spec/policy_file.h).
 *
 * Runs: monitor, its clients. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_RECORD_COUNT_H
#define GLOVEBOX_MONITOR_RECORD_COUNT_H

#include "base/err.h"
#include "spec/spec.h"

/*
 * record_count_check - whether there may be one more record.
 *
 * @folder  of all records; borrowed. Until it is closed no other process is told the same.
 * Errors: ERR_LIMIT, naming the file that bounds them; ERR_BUSY: others take too long.
 */
int record_count_check(int folder, const struct sandbox_spec *spec, struct err *e);

#endif
