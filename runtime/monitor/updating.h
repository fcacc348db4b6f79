/*
 * updating - change the limits of a sandbox that stays while it runs, and note its published ports.
 *
 * Runs: monitor. Needs: to own the files of its control group.
 */
#ifndef GLOVEBOX_MONITOR_UPDATING_H
#define GLOVEBOX_MONITOR_UPDATING_H

#include "host/run.h"
#include "monitor/messages.h"
#include "monitor/record_keep.h"

/*
 * updating_do - put the limits of a request into effect, and keep its flags in the record, with the
 * published ports if they have changed.
 * Errors: ERR_INPUT: no flag of `run` can have such a limit; those of run_update(), or the record
 * could not be written. Nothing has changed then.
 */
int updating_do(struct run *run, struct record_kept *record, const struct monitor_request *r,
		struct err *e);

#endif
