/*
 * egress_summary - the counts that glovebox-egress reports of a sandbox's connections.
 *
 * No side effects. Runs: monitor, client. Needs: nothing.
 */
#ifndef GLOVEBOX_NETPOLICY_EGRESS_SUMMARY_H
#define GLOVEBOX_NETPOLICY_EGRESS_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/list.h"

#define EGRESS_SUMMARY_NAMES 16 /* refusals that a summary names */

/* A name or an address that glovebox-egress refused, and why. */
struct egress_refusal {
	char *name;
	char *reason;
	uint16_t port; /* 0: a DNS lookup of the name */
};

struct egress_counters {
	uint64_t connections;
	uint64_t refused; /* connections and queries */
	uint64_t bytes_out;
	uint64_t bytes_in;
	uint64_t queries;
};

struct egress_summary {
	struct egress_counters counters;
	struct list refused_names; /* at most EGRESS_SUMMARY_NAMES; not trusted */
	struct egress_refusal refusals[EGRESS_SUMMARY_NAMES]; /* the names are not trusted */
	size_t refusal_count;
	bool log_truncated;
};

/*
 * egress_summary_read - read the report of glovebox-egress, which parses hostile bytes and is not
 * trusted. Names come from the program in the sandbox: a member of a wrong type counts as missing,
 * and at most EGRESS_SUMMARY_NAMES names are kept.
 * @out  end with egress_summary_fini().
 */
void egress_summary_read(const struct json *object, struct egress_summary *out);

/* Write the counters as members of an object, or one refusal as an element of a list. */
void egress_counters_write(const struct egress_counters *counters, struct buf *out);
void egress_refusal_write(const char *name, uint16_t port, const char *reason, struct buf *out);

/* Write the summary as a member of an object; null if glovebox-egress ended without one. */
void egress_summary_write(const struct egress_summary *s, const char *key, struct buf *out);

/* Free what it owns. */
void egress_summary_fini(struct egress_summary *s);

#endif
