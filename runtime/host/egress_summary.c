/*
 * egress_summary - what became of a sandbox's connections, as glovebox-egress has counted it.
 */
#include "host/egress_summary.h"

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

void egress_summary_read(const struct json *object, struct egress_summary *out)
{
	*out = (struct egress_summary){
		.connections = json_uint_at(object, "connections", 0),
		.refused = json_uint_at(object, "refused", 0),
		.bytes_out = json_uint_at(object, "bytes_out", 0),
		.bytes_in = json_uint_at(object, "bytes_in", 0),
		.queries = json_uint_at(object, "queries", 0),
		.log_truncated = json_is_true(json_get(object, "log_truncated")),
	};
	egress_summary_read_names(json_get(object, "refused_names"), out);
}

void egress_summary_write(const struct egress_summary *s, const char *key, struct buf *out)
{
	if (!s) {
		json_put_null(out, key);
		return;
	}
	json_put_begin(out, key, '{');
	json_put_uint(out, "connections", s->connections);
	json_put_uint(out, "refused", s->refused);
	json_put_uint(out, "bytes_out", s->bytes_out);
	json_put_uint(out, "bytes_in", s->bytes_in);
	json_put_uint(out, "queries", s->queries);
	list_put(&s->refused_names, out, "refused_names");
	json_put_bool(out, "log_truncated", s->log_truncated);
	json_put_end(out, '}');
}

void egress_summary_fini(struct egress_summary *s)
{
	list_fini(&s->refused_names);
	*s = (struct egress_summary){0};
}
