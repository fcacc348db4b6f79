/*
 * egress_summary - the counts that glovebox-egress reports of a sandbox's connections.
 */
#include "netpolicy/egress_summary.h"

#include <stdlib.h>

#include "base/json_put.h"
#include "base/own.h"

static void egress_summary_read_names(const struct json *names, struct egress_summary *out)
{
	if (!names || !json_is_array(names))
		return;
	for (const struct json *n = json_first(names);
	     n && out->refused_names.count < EGRESS_SUMMARY_NAMES; n = json_next(n)) {
		if (json_string(n))
			list_add(&out->refused_names, json_string(n));
	}
}

static void egress_summary_read_refusals(const struct json *list, struct egress_summary *out)
{
	if (!list || !json_is_array(list))
		return;
	for (const struct json *n = json_first(list);
	     n && out->refusal_count < EGRESS_SUMMARY_NAMES; n = json_next(n)) {
		struct egress_refusal *to = &out->refusals[out->refusal_count];
		const char *name = json_is_object(n) ? json_string_at(n, "name") : NULL;
		const char *reason = json_is_object(n) ? json_string_at(n, "reason") : NULL;

		if (!name || !reason)
			continue;
		to->name = own_strdup(name);
		to->reason = own_strdup(reason);
		to->port = (uint16_t)json_uint_at(n, "port", 0);
		out->refusal_count++;
	}
}

void egress_summary_read(const struct json *object, struct egress_summary *out)
{
	*out = (struct egress_summary){
		.counters = {.connections = json_uint_at(object, "connections", 0),
			     .refused = json_uint_at(object, "refused", 0),
			     .bytes_out = json_uint_at(object, "bytes_out", 0),
			     .bytes_in = json_uint_at(object, "bytes_in", 0),
			     .queries = json_uint_at(object, "queries", 0)},
		.log_truncated = json_is_true(json_get(object, "log_truncated")),
	};
	egress_summary_read_names(json_get(object, "refused_names"), out);
	egress_summary_read_refusals(json_get(object, "refusals"), out);
}

void egress_counters_write(const struct egress_counters *counters, struct buf *out)
{
	json_put_uint(out, "connections", counters->connections);
	json_put_uint(out, "refused", counters->refused);
	json_put_uint(out, "bytes_out", counters->bytes_out);
	json_put_uint(out, "bytes_in", counters->bytes_in);
	json_put_uint(out, "queries", counters->queries);
}

void egress_refusal_write(const char *name, uint16_t port, const char *reason, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "name", name);
	if (port)
		json_put_uint(out, "port", port);
	json_put_text(out, "reason", reason);
	json_put_end(out, '}');
}

static void egress_summary_write_refusals(const struct egress_summary *s, struct buf *out)
{
	json_put_begin(out, "refusals", '[');
	for (size_t i = 0; i < s->refusal_count; i++) {
		const struct egress_refusal *one = &s->refusals[i];

		egress_refusal_write(one->name, one->port, one->reason, out);
	}
	json_put_end(out, ']');
}

void egress_summary_write(const struct egress_summary *s, const char *key, struct buf *out)
{
	if (!s) {
		json_put_null(out, key);
		return;
	}
	json_put_begin(out, key, '{');
	egress_counters_write(&s->counters, out);
	list_put(&s->refused_names, out, "refused_names");
	egress_summary_write_refusals(s, out);
	json_put_bool(out, "log_truncated", s->log_truncated);
	json_put_end(out, '}');
}

void egress_summary_fini(struct egress_summary *s)
{
	list_fini(&s->refused_names);
	for (size_t i = 0; i < s->refusal_count; i++) {
		free(s->refusals[i].name);
		free(s->refusals[i].reason);
	}
	*s = (struct egress_summary){0};
}
