/*
 * report - a verdict as lines for people.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_REPORT_H
#define GLOVEBOX_CLI_REPORT_H

#include "host/verdict.h"
#include "spec/spec.h"

/* Print lines on stderr: which limit ended the run, what was cut off, which files were refused. */
void report_messages(const struct limits *l, const struct verdict *v);

/*
 * Say which streams were cut. @late  perhaps before the limit, where our own reader did not read.
 */
void report_cut(const bool truncated[2], uint64_t limit_bytes, bool late);

#endif
