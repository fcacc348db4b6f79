/*
 * record - record what a sandbox reached and was refused: a log of JSON lines, and a summary.
 *
 * Runs: glovebox-egress. Needs: nothing; the starter has opened the log.
 */
#ifndef GLOVEBOX_EGRESS_RECORD_H
#define GLOVEBOX_EGRESS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/address.h"
#include "net/hostname.h"
#include "netpolicy/egress_summary.h"

#define RECORD_MAX_NAMES EGRESS_SUMMARY_NAMES

/* One kind of refusal, and its count. */
struct record_refusal {
	char name[HOST_NAME_SIZE]; /* or the requested address */
	uint16_t port;             /* 0: a DNS lookup of the name */
	const char *reason;
};

struct record {
	char sandbox[65];
	int log;                /* owned; -1 */
	uint64_t log_bytes;     /* the most bytes of the log */
	uint64_t log_used;      /* bytes written */
	uint64_t log_refused;   /* bytes written for refusals: half of log_bytes at most */
	bool refusals_are_full; /* log no further refusals, but all else */
	bool log_is_full;       /* log nothing more */
	bool log_truncated;     /* one of the two is full, or a write failed */
	struct egress_counters counters;
	char names[RECORD_MAX_NAMES][HOST_NAME_SIZE];
	size_t name_count;
	struct record_refusal refusals[RECORD_MAX_NAMES];
	size_t refusal_count;
};

/* One finished connection or query. */
struct record_entry {
	const char *what;            /* "connection", "published", "query" */
	const char *name;            /* NULL: the client named an address */
	const struct address *inner; /* that the program connected to; NULL */
	const struct address *outer; /* that we connected to; NULL */
	const struct address *proxy; /* that we asked, in place of `outer`; NULL */
	uint16_t port;
	uint64_t bytes_out;
	uint64_t bytes_in;
	bool is_refused;
	const char *reason; /* static: why we refused or cut it; NULL: neither */
};

/*
 * record_add - count an entry, and log it if there is a log. Answered queries are only counted.
 * Refusals fill at most half of the log: the rest is for established connections.
 */
void record_add(struct record *r, const struct record_entry *entry);

/* Append the summary, as members of one object under @key. */
void record_put(const struct record *r, struct buf *out, const char *key);

#endif
