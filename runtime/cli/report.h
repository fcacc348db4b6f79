/*
 * report - a verdict as lines for people.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_REPORT_H
#define GLOVEBOX_CLI_REPORT_H

#include "spec/spec.h"
#include "spec/verdict.h"

/* Print lines on stderr: which limit ended the run, what was cut off, which files were refused. */
void report_messages(const struct limits *l, const struct verdict *v);

/* Say how many connections and questions were refused between two summaries, and why. */
void report_refusals(const struct egress_summary *before, const struct egress_summary *now);

/*
 * Say which streams were cut. @late  perhaps before the limit, where our own reader did not read.
 */
void report_cut(const bool truncated[2], uint64_t limit_bytes, bool late);

#endif
