/*
 * egress_refusals - say what a sandbox's network refused.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_NETPOLICY_EGRESS_REFUSALS_H
#define GLOVEBOX_NETPOLICY_EGRESS_REFUSALS_H

#include "base/buf.h"
#include "netpolicy/egress_summary.h"

/*
 * egress_refusals_line - append what the network refused between two summaries, as one line that is
 * safe for a terminal: "[NETWORK] refused 2 connections or lookups: pypi.org: not listed". Nothing
 * if it refused nothing.
 */
void egress_refusals_line(const struct egress_summary *before, const struct egress_summary *now,
			  struct buf *out);

#endif
