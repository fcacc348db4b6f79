/*
 * statistics - GET /containers/X/stats: `stats` of one container, in the Engine's form.
 *
 * A stream asks again each second. The command looks at the CPU time twice, so each sample has a
 * real earlier one.
 */
#include "engine/statistics.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/server.h"
#include "loop/clock.h"
#include "service/verb.h"
#include "web/query.h"

#define AGAIN_US 1000000
#define UNSENT   65536 /* bytes of a client that does not read: it gets no sample more */
#define NS       1000000000ull

struct statistics {
	struct request *request;
	struct record found;
	struct list words;
	struct verb *verb;
	struct verb_result result;
	struct hub *hub;
	struct hub_timer again;
	bool streams;
	bool begun;
	uint64_t cpu_ms; /* of the sample before, with its time; 0: none */
	uint64_t at_ms;
};

static void statistics_free(struct statistics *s)
{
	hub_silence(s->hub, &s->again);
	verb_free(s->verb);
	verb_result_fini(&s->result);
	record_fini(&s->found);
	list_fini(&s->words);
	free(s);
}

static void statistics_put_cpu(const char *key, uint64_t cpu_ms, uint64_t at_ms, struct buf *out)
{
	const uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	json_put_begin(out, key, '{');
	json_put_begin(out, "cpu_usage", '{');
	json_put_uint(out, "total_usage", cpu_ms * 1000000);
	json_put_uint(out, "usage_in_kernelmode", 0);
	json_put_uint(out, "usage_in_usermode", cpu_ms * 1000000);
	json_put_end(out, '}');
	/* The time of all CPUs together, as /proc/stat counts them: what clients divide by. */
	json_put_uint(out, "system_cpu_usage", at_ms * 1000000 * cpus);
	json_put_uint(out, "online_cpus", cpus);
	json_put_begin(out, "throttling_data", '{');
	json_put_uint(out, "periods", 0);
	json_put_uint(out, "throttled_periods", 0);
	json_put_uint(out, "throttled_time", 0);
	json_put_end(out, '}');
	json_put_end(out, '}');
}

/* @now  one object of `stats --json`; NULL: it does not run. */
static void statistics_put(struct statistics *s, const struct json *now, struct buf *out)
{
	const uint64_t at_ms = monotonic_us() / 1000;
	const uint64_t cpu_ms = now ? json_uint_at(now, "cpu_ms", 0) : 0;
	const uint64_t milli = now ? json_uint_at(now, "cpus_milli", 0) : 0;
	auto_free char *name = own_printf("/%s", record_name(&s->found));
	char read[CLOCK_UTC_SIZE];

	if (!s->at_ms) { /* the command's own earlier look */
		s->at_ms = at_ms - 200;
		s->cpu_ms = cpu_ms > milli / 5 ? cpu_ms - milli / 5 : 0;
	}
	clock_utc_at(clock_now_ms(), read);
	json_put_begin(out, NULL, '{');
	json_put_text(out, "name", name);
	json_put_text(out, "id", s->found.id);
	json_put_text(out, "read", read);
	json_put_text(out, "preread", read);
	json_put_begin(out, "pids_stats", '{');
	json_put_uint(out, "current", now ? json_uint_at(now, "processes", 0) : 0);
	json_put_end(out, '}');
	statistics_put_cpu("cpu_stats", cpu_ms, at_ms, out);
	statistics_put_cpu("precpu_stats", s->cpu_ms, s->at_ms, out);
	json_put_begin(out, "memory_stats", '{');
	json_put_uint(out, "usage", now ? json_uint_at(now, "memory_bytes", 0) : 0);
	json_put_uint(out, "limit", now ? json_uint_at(now, "memory_limit_bytes", 0) : 0);
	json_put_begin(out, "stats", '{');
	json_put_end(out, '}');
	json_put_end(out, '}');
	json_put_begin(out, "networks", '{');
	json_put_end(out, '}');
	json_put_begin(out, "blkio_stats", '{');
	json_put_end(out, '}');
	json_put_end(out, '}');
	buf_text(out, "\n");
	s->cpu_ms = cpu_ms;
	s->at_ms = at_ms;
}

static void statistics_send(struct statistics *s, const struct json *now)
{
	auto_buf struct buf body = {0};

	statistics_put(s, now, &body);
	if (!s->begun)
		request_stream(s->request, 200, ANSWER_JSON);
	s->begun = true;
	request_send(s->request, body.data, body.length);
}

static void statistics_done(void *context)
{
	struct statistics *s = context;
	const struct verb_result *result = &s->result;
	struct err ignored;
	auto_json struct json *all =
		json_parse(result->output[0].data, result->output[0].length, &ignored);
	const struct json *now = all ? json_first(all) : NULL;

	statistics_send(s, now);
	verb_free(s->verb);
	s->verb = NULL;
	verb_result_fini(&s->result);
	if (s->streams && now) {
		hub_ring(s->hub, &s->again, monotonic_us() + AGAIN_US);
		return;
	}
	request_end(s->request);
	statistics_free(s);
}

static void statistics_ask(void *context)
{
	struct statistics *s = context;
	const struct verb_request asked = {
		.command = {.words = &s->words, .in = -1}
        };
	struct err e;

	if (s->begun && request_unsent(s->request) > UNSENT) {
		hub_ring(s->hub, &s->again, monotonic_us() + AGAIN_US);
		return;
	}
	if (!verb_start(s->hub, &asked, &s->result, statistics_done, s, &s->verb, &e))
		return;
	if (s->begun)
		request_end(s->request);
	else
		answer_error(s->request, &e);
	statistics_free(s);
}

static void statistics_abandon(struct request *r)
{
	statistics_free(r->work);
}

void statistics_run(struct request *r)
{
	struct record found = {.dir = -1};
	struct statistics *s;

	if (!answer_find(r, &found))
		return;
	s = own_zeroed(1, sizeof(*s));
	s->request = r;
	s->found = found;
	s->hub = r->server->hub;
	s->again = (struct hub_timer){.ring = statistics_ask, .context = s};
	s->streams = query_is_true(request_query(r), "stream", true);
	list_add(&s->words, "stats");
	list_add(&s->words, "--json");
	list_add(&s->words, found.id);
	r->work = s;
	r->abandon = statistics_abandon;
	statistics_ask(s);
}
