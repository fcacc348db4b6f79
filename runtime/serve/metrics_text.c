/*
 * metrics_text - GET /metrics: the counters, in Prometheus' text format 0.0.4.
 *
 * The numbers cover all keys, so a server with keys requires an operator's key (Prometheus' setting
 * `authorization`).
 *
 * Without an answer of the supervisor within a second, its numbers are left out.
 *
 * Names that begin with code_interpreter_ are those of the service whose API we implement.
 */
#include "serve/routes.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/io.h"
#include "request/server.h"
#include "serve/faces.h"
#include "serve/warm_status.h"

#define CONTENT_TYPE          "text/plain; version=0.0.4; charset=utf-8"
#define METRICS_TEXT_REQUESTS "glovebox_requests_total"

static const char *const metrics_text_outcomes[METRICS_OUTCOMES] = {
	[METRICS_OK] = "ok", [METRICS_TIMED_OUT] = "timed_out", [METRICS_ERROR] = "error"};

static const struct {
	unsigned status;
	const char *name;
} metrics_text_reasons[METRICS_REASONS] = {
	[METRICS_SATURATED] = {429, "saturated"},
	[METRICS_QUOTA] = {429, "quota"    },
	[METRICS_CAPACITY] = {503, "capacity" },
	[METRICS_AUDIT] = {503, "audit"    },
};

static const char *const metrics_text_classes[METRICS_CLASSES] = {"none", "1xx", "2xx",
								  "3xx",  "4xx", "5xx"};

/* -- the format ------------------------------------------------------------------------------ */

static void metrics_text_head(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void metrics_text_number(struct buf *out, const char *name, const char *type,
				const char *help, uint64_t value)
{
	metrics_text_head(out, name, type, help);
	buf_printf(out, "%s %" PRIu64 "\n", name, value);
}

static void metrics_text_seconds(struct buf *out, uint64_t us)
{
	buf_printf(out, "%" PRIu64 ".%06" PRIu64 "\n", us / 1000000, us % 1000000);
}

/* @label  followed by a comma, or "". */
static void metrics_text_histogram(struct buf *out, const char *name, const char *label,
				   const struct metrics_histogram *h)
{
	const int bare = label[0] ? (int)strlen(label) - 1 : 0;
	uint64_t sum = 0;

	for (unsigned i = 0; i < METRICS_BUCKETS; i++) {
		sum += h->counts[i];
		buf_printf(out, "%s_bucket{%sle=\"%g\"} %" PRIu64 "\n", name, label,
			   (double)metrics_bounds_us[i] / 1e6, sum);
	}
	sum += h->counts[METRICS_BUCKETS];
	buf_printf(out, "%s_bucket{%sle=\"+Inf\"} %" PRIu64 "\n", name, label, sum);
	buf_printf(out, "%s_sum%s%.*s%s ", name, bare ? "{" : "", bare, label, bare ? "}" : "");
	metrics_text_seconds(out, h->sum_us);
	buf_printf(out, "%s_count%s%.*s%s %" PRIu64 "\n", name, bare ? "{" : "", bare, label,
		   bare ? "}" : "", sum);
}

static void metrics_text_histograms(struct buf *out, const char *name, const char *help,
				    const struct metrics_histogram *of)
{
	char label[64];

	metrics_text_head(out, name, "histogram", help);
	for (unsigned i = 0; i < METRICS_OPERATIONS; i++) {
		snprintf(label, sizeof(label), "operation=\"%s\",", metrics_operation_name(i));
		metrics_text_histogram(out, name, label, &of[i]);
	}
}

/* -- the metrics ----------------------------------------------------------------------------- */

struct metrics_text_route {
	struct buf *out;
	const uint64_t (*counts)[METRICS_CLASSES]; /* of the next route */
};

static void metrics_text_put_route(void *context, const char *face, const struct route *route)
{
	struct metrics_text_route *of = context;
	const uint64_t *counts = *of->counts++;

	for (unsigned class = 0; class < METRICS_CLASSES; class ++) {
		if (counts[class])
			buf_printf(of->out,
				   METRICS_TEXT_REQUESTS
				   "{%s%s%smethod=\"%s\",route=\"%s\",class=\"%s\"} %" PRIu64 "\n",
				   face ? "face=\"" : "", face ? face : "", face ? "\"," : "",
				   route->method, route->path, metrics_text_classes[class],
				   counts[class]);
	}
}

static void metrics_text_put_requests(struct buf *out, const struct metrics *m)
{
	static const struct route unknown = {.method = "", .path = ""};
	struct metrics_text_route of = {out, m->requests};

	metrics_text_head(out, METRICS_TEXT_REQUESTS, "counter",
			  "Requests that have ended, by route; class none: the client left.");
	faces_each_route(metrics_text_put_route, &of);
	of.counts = &m->requests[METRICS_ROUTES - 1];
	metrics_text_put_route(&of, NULL, &unknown);
}

static void metrics_text_put_executions(struct buf *out, const struct metrics *m)
{
	const char *name = "code_interpreter_executions_active";

	metrics_text_head(out, name, "gauge", "Executions that have a place.");
	for (unsigned i = 0; i < METRICS_OPERATIONS; i++)
		buf_printf(out, "%s{operation=\"%s\"} %" PRIu64 "\n", name,
			   metrics_operation_name(i), m->active[i]);
	name = "code_interpreter_executions_completed_total";
	metrics_text_head(out, name, "counter", "Executions that have ended.");
	for (unsigned i = 0; i < METRICS_OPERATIONS; i++) {
		for (unsigned k = 0; k < METRICS_OUTCOMES; k++)
			buf_printf(out, "%s{operation=\"%s\",outcome=\"%s\"} %" PRIu64 "\n", name,
				   metrics_operation_name(i), metrics_text_outcomes[k],
				   m->completed[i][k]);
	}
	name = "code_interpreter_executions_rejected_total";
	metrics_text_head(out, name, "counter", "Executions that did not begin.");
	for (unsigned i = 0; i < METRICS_OPERATIONS; i++) {
		for (unsigned k = 0; k < METRICS_REASONS; k++)
			buf_printf(out,
				   "%s{operation=\"%s\",status=\"%u\",reason=\"%s\"} %" PRIu64 "\n",
				   name, metrics_operation_name(i), metrics_text_reasons[k].status,
				   metrics_text_reasons[k].name, m->rejected[i][k]);
	}
	name = "glovebox_verdicts_total";
	metrics_text_head(out, name, "counter", "How programs ended.");
	for (unsigned i = 0; i < METRICS_VERDICTS; i++)
		buf_printf(out, "%s{verdict=\"%s\"} %" PRIu64 "\n", name, verdict_name(i),
			   m->verdicts[i]);
}

static void metrics_text_put_times(struct buf *out, const struct metrics *m)
{
	const char *name = "glovebox_spawn_seconds";

	metrics_text_histograms(out, "code_interpreter_admission_wait_seconds", "Wait for a place.",
				m->waits);
	metrics_text_histograms(out, "code_interpreter_execution_duration_seconds",
				"From the place to the end.", m->runs);
	metrics_text_head(out, name, "histogram", "From the place to a cell that runs.");
	metrics_text_histogram(out, name, "", &m->spawns);
}

static void metrics_text_put_process(struct buf *out)
{
	const char *name = "process_cpu_seconds_total";
	struct rusage use;
	char statm[128];
	char *resident;

	getrusage(RUSAGE_SELF, &use);
	metrics_text_head(out, name, "counter", "CPU time of the server's process.");
	buf_printf(out, "%s ", name);
	metrics_text_seconds(out, (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000 +
					  (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec));
	if (io_peek(AT_FDCWD, "/proc/self/statm", statm, sizeof(statm)))
		return;
	resident = strchr(statm, ' ');
	metrics_text_number(
		out, "process_resident_memory_bytes", "gauge", "Memory of the server's process.",
		resident ? strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0);
}

static void metrics_text_put_server(struct buf *out, const struct server *server)
{
	const struct metrics *m = &server->metrics;
	const char *name = "glovebox_build_info";

	metrics_text_head(out, name, "gauge", "Which glovebox this is.");
	buf_printf(out, "%s{version=\"%s\"} 1\n", name, GLOVEBOX_VERSION);
	metrics_text_number(out, "code_interpreter_executions_limit", "gauge",
			    "The most executions at once.", server->admission.most);
	metrics_text_number(out, "glovebox_runs_running", "gauge", "Those that have a place.",
			    server->admission.running);
	metrics_text_number(out, "glovebox_runs_waiting", "gauge", "Those that wait for one.",
			    server->admission.waiting);
	metrics_text_number(out, "glovebox_draining", "gauge", "1: the server is ending.",
			    server->is_draining);
	metrics_text_number(out, "glovebox_log_lost_total", "counter",
			    "Lines that the log had no room for.", server->log.lost);
	metrics_text_put_executions(out, m);
	metrics_text_put_times(out, m);
	metrics_text_put_requests(out, m);
	metrics_text_put_process(out);
}

/*
 * Put the supervisor's counters; a shared supervisor counts other users' cells as well. @s  NULL:
 * it does not answer.
 */
static void metrics_text_put_supervisor(struct buf *out, const struct status_answer *s)
{
	metrics_text_number(out, "glovebox_supervisor_up", "gauge",
			    "1: the warm supervisor answers.", s != NULL);
	if (!s)
		return;
	metrics_text_number(out, "glovebox_pool_size", "gauge", "Cells to keep ready.", s->pool);
	metrics_text_number(out, "glovebox_pool_ready", "gauge", "Cells that are ready.", s->ready);
	metrics_text_number(out, "glovebox_cells_running", "gauge", "Cells in use.", s->running);
	metrics_text_number(out, "glovebox_sessions", "gauge", "Sessions that are kept.",
			    s->sessions);
	metrics_text_number(out, "glovebox_cells_made_total", "counter", "Cells made.", s->made);
	metrics_text_number(out, "glovebox_cells_failed_total", "counter",
			    "Cells that could not be made.", s->failed);
	metrics_text_number(out, "glovebox_nursery_restarts_total", "counter",
			    "Restarts of the nursery.", s->restarts);
}

static void metrics_text_reply(struct request *r, const struct status_answer *status)
{
	auto_buf struct buf body = {0};

	metrics_text_put_server(&body, r->server);
	metrics_text_put_supervisor(&body, status);
	request_reply(r, 200, CONTENT_TYPE, &body);
}

void metrics_text_run(struct request *r)
{
	if (r->key->is_operator)
		warm_status_ask(r, metrics_text_reply);
	else
		request_refuse(r, 403, "this needs the key of an operator");
}
