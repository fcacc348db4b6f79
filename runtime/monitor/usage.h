/*
 * usage - what a sandbox that stays uses now, and its processes.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_USAGE_H
#define GLOVEBOX_MONITOR_USAGE_H

#include "monitor/messages.h"
#include "sandbox/run.h"

/*
 * usage_read - fill in the fields of "stats"; a sandbox without a control group has none of them.
 * @out  end with form_fini().
 */
void usage_read(const struct run *run, struct monitor_answer *out);

#endif
