/*
 * watch - `glovebox selftest --watch`: again if something has changed, compared with the record.
 *
 * A layer that held before must hold, too, even if this kernel does not have it any more: only who
 * removes the record accepts that.
 *
 * Runs: a timer unit, or a person. Needs: what a selftest needs, and a place for the record
 * (cli/watch_record.h).
 */
#ifndef GLOVEBOX_CLI_WATCH_H
#define GLOVEBOX_CLI_WATCH_H

#include <stdbool.h>

#include "selftest/selftest.h"

/*
 * watch - make the selftest unless all is as it was at the last one, which ended well.
 *
 * @t  says what was asked for; ended by the caller with selftest_fini().
 * Prints a line for people, or the record as JSON. Returns the exit status: 1: a layer that is
 * promised, or held before, does not hold; 125: something could not be tried, or recorded.
 */
int watch(struct selftest *t, bool json, bool verbose);

#endif
