/*
 * metrics - what a server counts of its life: fixed numbers of numbers, whatever is asked of it.
 *
 * GET /metrics says them (serve/metrics_text.h). Nobody can add a label: an operation, a route and
 * a verdict are rows of tables of ours.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_METRICS_H
#define GLOVEBOX_SERVE_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "spec/verdict.h"

#define METRICS_BUCKETS  17
#define METRICS_ROUTES   64 /* the last counts those beyond, and what has none */
#define METRICS_CLASSES  6  /* [0]: whoever asked left before there was a status; then 1xx... */
#define METRICS_VERDICTS (VERDICT_CANCELLED + 1)

enum metrics_operation {
	METRICS_EXECUTE,
	METRICS_EXECUTE_STREAM,
	METRICS_SESSION_CREATE,
	METRICS_SESSION_BASH,
	METRICS_SESSION_PYTHON,
	METRICS_MCP,
	METRICS_OPERATIONS,
};

enum metrics_outcome { METRICS_OK, METRICS_TIMED_OUT, METRICS_ERROR, METRICS_OUTCOMES };

/* Why something did not begin. */
enum metrics_reason {
	METRICS_SATURATED, /* no place came free in time */
	METRICS_QUOTA,     /* of its key */
	METRICS_CAPACITY,  /* no cell */
	METRICS_AUDIT,     /* it could not be written down */
	METRICS_REASONS,
};

struct metrics_histogram {
	uint64_t counts[METRICS_BUCKETS + 1]; /* not cumulative; the last: beyond all bounds */
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

/* One execution; embed it, all zero. */
struct metrics_run {
	enum metrics_operation operation;
	uint64_t asked_us;    /* for a place; monotonic */
	uint64_t admitted_us; /* 0: it has none */
	bool is_over;
};

/* It asks for a place, gets one, and has a cell: in this order, as far as it comes. */
void metrics_ask(struct metrics_run *run, enum metrics_operation operation, uint64_t now_us);
void metrics_admit(struct metrics *m, struct metrics_run *run, uint64_t now_us);
void metrics_begin(struct metrics *m, struct metrics_run *run, uint64_t now_us);

/* Its end, one of the two; safe afterwards: metrics_leave(), for all that had a third. */
void metrics_complete(struct metrics *m, struct metrics_run *run, enum metrics_outcome outcome,
		      uint64_t now_us);
void metrics_reject(struct metrics *m, struct metrics_run *run, enum metrics_reason reason);
void metrics_leave(struct metrics *m, struct metrics_run *run);

/* How its program ended, if it did. */
void metrics_judge(struct metrics *m, enum verdict_kind kind);

/* A request has been answered. @route  its row; negative: none. @status  0: whoever asked left. */
void metrics_request(struct metrics *m, long route, unsigned status);

/* As a label. */
const char *metrics_operation_name(enum metrics_operation operation);

/* The upper bounds of the buckets, in microseconds. */
extern const uint64_t metrics_bounds_us[METRICS_BUCKETS];

#endif
