/*
 * metrics - the counters of a server: a fixed set, whatever clients send.
 *
 * GET /metrics prints them (serve/metrics_text.c). Clients cannot add a label: operations, routes
 * and verdicts are rows of our tables.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_TENANT_METRICS_H
#define GLOVEBOX_TENANT_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "spec/verdict.h"

#define METRICS_BUCKETS  17
#define METRICS_ROUTES   128 /* the last one counts all others, and unknown paths */
#define METRICS_CLASSES  6   /* [0]: the client disconnected before a status; then 1xx... */
#define METRICS_VERDICTS (VERDICT_CANCELLED + 1)

enum metrics_operation {
	METRICS_EXECUTE,
	METRICS_EXECUTE_STREAM,
	METRICS_SESSION_CREATE,
	METRICS_SESSION_BASH,
	METRICS_SESSION_PYTHON,
	METRICS_MCP,
	METRICS_DIFY,
	METRICS_OPERATIONS,
};

enum metrics_outcome { METRICS_OK, METRICS_TIMED_OUT, METRICS_ERROR, METRICS_OUTCOMES };

/* Why an execution did not begin. */
enum metrics_reason {
	METRICS_SATURATED, /* no place became free in time */
	METRICS_QUOTA,     /* the key's quota was used up */
	METRICS_CAPACITY,  /* no cell could be had */
	METRICS_AUDIT,     /* the audit could not record it */
	METRICS_REASONS,
};

struct metrics_histogram {
	/* not cumulative; the last one is beyond all bounds */
	uint64_t counts[METRICS_BUCKETS + 1];
	uint64_t sum_us;
};

struct metrics {
	uint64_t requests[METRICS_ROUTES][METRICS_CLASSES];
	uint64_t active[METRICS_OPERATIONS];
	uint64_t rejected[METRICS_OPERATIONS][METRICS_REASONS];
	uint64_t completed[METRICS_OPERATIONS][METRICS_OUTCOMES];
	uint64_t verdicts[METRICS_VERDICTS];
	struct metrics_histogram waits[METRICS_OPERATIONS];
	struct metrics_histogram runs[METRICS_OPERATIONS];
	struct metrics_histogram spawns;
};

/* The times of one execution; embed it, all zero. */
struct metrics_run {
	enum metrics_operation operation;
	uint64_t asked_us;    /* monotonic time at which it asked for a place */
	uint64_t admitted_us; /* 0: it has no place */
	bool is_over;
};

/* The execution asks for a place, gets one, gets a cell: in this order, as far as it comes. */
void metrics_ask(struct metrics_run *run, enum metrics_operation operation, uint64_t now_us);
void metrics_admit(struct metrics *m, struct metrics_run *run, uint64_t now_us);
void metrics_begin(struct metrics *m, struct metrics_run *run, uint64_t now_us);

/*
 * End an execution by one of these; then metrics_leave() is safe, and closes any that has no end.
 */
void metrics_complete(struct metrics *m, struct metrics_run *run, enum metrics_outcome outcome,
		      uint64_t now_us);
void metrics_reject(struct metrics *m, struct metrics_run *run, enum metrics_reason reason);
void metrics_leave(struct metrics *m, struct metrics_run *run);

/* Count the verdict of a program that ended. */
void metrics_judge(struct metrics *m, enum verdict_kind kind);

/* Count a request. @route  its row; negative: none. @status  0: the client disconnected. */
void metrics_request(struct metrics *m, long route, unsigned status);

/* Return the operation as a label. */
const char *metrics_operation_name(enum metrics_operation operation);

/* The upper bounds of the buckets, in microseconds. */
extern const uint64_t metrics_bounds_us[METRICS_BUCKETS];

#endif
