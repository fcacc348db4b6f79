/*
 * metrics - the counters of a server.
 */
#include "tenant/metrics.h"

/* From a warm start's millisecond to the longest run that similar services measure. */
const uint64_t metrics_bounds_us[METRICS_BUCKETS] = {
	1000,    2500,    5000,    10000,    25000,    50000,    100000,    250000,    500000,
	1000000, 2500000, 5000000, 10000000, 30000000, 60000000, 120000000, 300000000,
};

const char *metrics_operation_name(enum metrics_operation operation)
{
	static const char *const names[METRICS_OPERATIONS] = {
		[METRICS_EXECUTE] = "execute",
		[METRICS_EXECUTE_STREAM] = "execute_stream",
		[METRICS_SESSION_CREATE] = "session_create",
		[METRICS_SESSION_BASH] = "session_bash",
		[METRICS_SESSION_PYTHON] = "session_python",
		[METRICS_MCP] = "mcp",
		[METRICS_DIFY] = "dify",
	};

	return names[operation];
}

static void metrics_observe(struct metrics_histogram *h, uint64_t us)
{
	unsigned i = 0;

	while (i < METRICS_BUCKETS && us > metrics_bounds_us[i])
		i++;
	h->counts[i]++;
	h->sum_us += us;
}

void metrics_ask(struct metrics_run *run, enum metrics_operation operation, uint64_t now_us)
{
	*run = (struct metrics_run){.operation = operation, .asked_us = now_us};
}

void metrics_admit(struct metrics *m, struct metrics_run *run, uint64_t now_us)
{
	run->admitted_us = now_us;
	m->active[run->operation]++;
	metrics_observe(&m->waits[run->operation], now_us - run->asked_us);
}

void metrics_begin(struct metrics *m, struct metrics_run *run, uint64_t now_us)
{
	const bool is_call =
		run->operation == METRICS_SESSION_BASH || run->operation == METRICS_SESSION_PYTHON;

	if (!is_call) /* a call uses the cell of its session */
		metrics_observe(&m->spawns, now_us - run->admitted_us);
}

void metrics_leave(struct metrics *m, struct metrics_run *run)
{
	if (run->admitted_us && !run->is_over)
		m->active[run->operation]--;
	run->is_over = true;
}

void metrics_complete(struct metrics *m, struct metrics_run *run, enum metrics_outcome outcome,
		      uint64_t now_us)
{
	m->completed[run->operation][outcome]++;
	metrics_observe(&m->runs[run->operation], now_us - run->admitted_us);
	metrics_leave(m, run);
}

void metrics_reject(struct metrics *m, struct metrics_run *run, enum metrics_reason reason)
{
	m->rejected[run->operation][reason]++;
	metrics_leave(m, run);
}

void metrics_judge(struct metrics *m, enum verdict_kind kind)
{
	m->verdicts[kind]++;
}

void metrics_request(struct metrics *m, long route, unsigned status)
{
	const bool is_known = route >= 0 && route < METRICS_ROUTES - 1;
	const unsigned class = status / 100;

	m->requests[is_known ? route : METRICS_ROUTES - 1][class < METRICS_CLASSES ? class : 0]++;
}
