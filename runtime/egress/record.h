/*
 * record - what was reached and what was refused: a log of JSON lines, and a summary.
 *
 * Runs: glovebox-egress. Needs: nothing; the log is open already.
 */
#ifndef GLOVEBOX_EGRESS_RECORD_H
#define GLOVEBOX_EGRESS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/address.h"
#include "base/buf.h"
#include "base/hostname.h"
#include "spec/egress_summary.h"

#define RECORD_MAX_NAMES EGRESS_SUMMARY_NAMES

/* One kind of refusal, however often it came. */
struct record_refusal {
	char name[HOST_NAME_SIZE]; /* or the address that was asked for */
	uint16_t port;             /* 0: a lookup of its name */
	const char *reason;
};

struct record {
	char sandbox[65];
	int log;                /* owned; -1 */
	uint64_t log_bytes;     /* that may be written in all */
	uint64_t log_used;      /* of them */
	uint64_t log_refused;   /* of those, by refusals: half of log_bytes at most */
	bool refusals_are_full; /* the next ones are not written; all else is, until the end */
	bool log_is_full;       /* nothing is written any more */
	bool log_truncated;     /* either of the two, or it could not be written */
	struct egress_counters counters;
	char names[RECORD_MAX_NAMES][HOST_NAME_SIZE];
	size_t name_count;
	struct record_refusal refusals[RECORD_MAX_NAMES];
	size_t refusal_count;
};

/* One connection or query that is over. */
struct record_entry {
	const char *what;            /* "connection", "published", "query" */
	const char *name;            /* NULL: an address was named */
	const struct address *inner; /* that the program wanted; NULL */
	const struct address *outer; /* that was reached; NULL */
	const struct address *proxy; /* that was asked for it, in place of `outer`; NULL */
	uint16_t port;
	uint64_t bytes_out;
	uint64_t bytes_in;
	bool is_refused;
	const char *reason; /* static: why it was refused, or cut; NULL: it was neither */
};

/*
 * record_add - count it, and write it down if there is a log. A query that was answered is only
 * counted. Refusals fill half of the log at most: the rest is for the connections that stood.
 */
void record_add(struct record *r, const struct record_entry *entry);

/* The summary, as members of one object under @key. */
void record_put(const struct record *r, struct buf *out, const char *key);

#endif
