/*
 * egress_summary - what became of a sandbox's connections, as glovebox-egress has counted it.
 *
 * No side effects. Runs: monitor, client. Needs: nothing.
 */
#ifndef GLOVEBOX_SPEC_EGRESS_SUMMARY_H
#define GLOVEBOX_SPEC_EGRESS_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/list.h"

#define EGRESS_SUMMARY_NAMES 16 /* of what was refused */

/* A name or an address that was refused, and why. */
struct egress_refusal {
	char *name;
	char *reason;
	uint16_t port; /* 0: a lookup of its name */
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
	struct list refused_names; /* EGRESS_SUMMARY_NAMES at most; a stranger chose them */
	struct egress_refusal refusals[EGRESS_SUMMARY_NAMES]; /* a stranger chose their names */
	size_t refusal_count;
	bool log_truncated;
};

/*
 * egress_summary_read - that process reads what strangers send: a member of a wrong type counts as
 * missing, and there are so many names at most.
 * @out  end with egress_summary_fini().
 */
void egress_summary_read(const struct json *object, struct egress_summary *out);

/*
 * Write the counters as members of an object; write one refusal as an element of a list. For
 * glovebox-egress, and for whoever passes on its summary.
 */
void egress_counters_write(const struct egress_counters *counters, struct buf *out);
void egress_refusal_write(const char *name, uint16_t port, const char *reason, struct buf *out);

/* Write it as a member of an object; null without a summary: the process has ended. */
void egress_summary_write(const struct egress_summary *s, const char *key, struct buf *out);

/* Free what it owns. */
void egress_summary_fini(struct egress_summary *s);

#endif
