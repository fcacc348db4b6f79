/*
 * report - print a verdict as lines for people.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_REPORT_H
#define GLOVEBOX_CLI_REPORT_H

#include "spec/spec.h"
#include "spec/verdict.h"

/*
 * Print lines on stderr: which limit ended the run, which output was cut, which files were refused.
 */
void report_messages(const struct limits *l, const struct verdict *v);

/* Print how many connections and lookups the network refused between two summaries, and why. */
void report_refusals(const struct egress_summary *before, const struct egress_summary *now);

/*
 * Print which streams were cut. @late: possibly before the limit, because our own reader did not
 * read.
 */
void report_cut(const bool truncated[2], uint64_t limit_bytes, bool late);

#endif
