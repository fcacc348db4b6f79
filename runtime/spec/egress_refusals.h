/*
 * egress_refusals - what a network has refused, for people.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_EGRESS_REFUSALS_H
#define GLOVEBOX_SPEC_EGRESS_REFUSALS_H

#include "base/buf.h"
#include "spec/egress_summary.h"

/*
 * egress_refusals_line - "[NETWORK] refused 2 connections or lookups: pypi.org: not listed", with
 * its newline and safe for a terminal: what was refused between two summaries. Nothing if nothing
 * was.
 */
void egress_refusals_line(const struct egress_summary *before, const struct egress_summary *now,
			  struct buf *out);

#endif
