/*
 * verdict_json - write a verdict as one line of JSON.
 */
#include "client/verdict_json.h"

#include <string.h>

#include "base/json_put.h"
#include "base/own.h"

/* @change_key: the key for a file's `change`. */
static void verdict_json_add_files(struct buf *out, const char *key,
				   const struct output_files *files, const char *change_key)
{
	json_put_begin(out, key, '[');
	for (size_t i = 0; i < files->count; i++) {
		json_put_begin(out, NULL, '{');
		json_put_name(out, "path", files->items[i].path);
		json_put_uint(out, "size", files->items[i].size_bytes);
		json_put_text(out, change_key, files->items[i].change);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

static void verdict_json_add_labels(struct buf *out, const struct string_list *labels)
{
	json_put_begin(out, "labels", '{');
	for (size_t i = 0; i < labels->count; i++) {
		const char *label = labels->items[i];
		size_t length = strcspn(label, "=");
		auto_free char *key = own_strndup(label, length);

		json_put_text(out, key, label[length] ? label + length + 1 : "");
	}
	json_put_end(out, '}');
}

/* null: not counted. */
static void verdict_json_add_cost(struct buf *out, const char *key, uint64_t value, unsigned unit)
{
	if (value)
		json_put_uint(out, key, value / unit);
	else
		json_put_null(out, key);
}

void verdict_json_full(const struct verdict *v, struct buf *out)
{
	json_put_begin(out, "full", '[');
	for (unsigned i = 0; i < v->full_count; i++)
		json_put_text(out, NULL, v->full[i].path);
	json_put_end(out, ']');
}

void verdict_json(const char *id, const struct verdict *v, const struct string_list *labels,
		  struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "id", id);
	json_put_text(out, "verdict", verdict_name(v->kind));
	json_put_int(out, "exit_code", v->exit_code);
	if (v->signal)
		json_put_int(out, "signal", v->signal);
	else
		json_put_null(out, "signal");
	json_put_bool(out, "timed_out", v->kind == VERDICT_WALL_TIME);
	json_put_bool(out, "oom_killed", v->oom_kills > 0);
	json_put_bool(out, "left_behind", v->left_behind);
	verdict_json_full(v, out);
	json_put_bool(out, "no_network", v->no_network);
	json_put_uint(out, "duration_ms", v->duration_us / 1000);
	verdict_json_add_cost(out, "cpu_ms", v->cpu_us, 1000);
	verdict_json_add_cost(out, "memory_peak_bytes", v->memory_peak_bytes, 1);
	json_put_uint(out, "pids_refused", v->pids_refused);
	json_put_begin(out, "truncated", '{');
	json_put_bool(out, "stdout", v->truncated[0]);
	json_put_bool(out, "stderr", v->truncated[1]);
	json_put_end(out, '}');
	json_put_bytes(out, "stdout", buf_string(&v->captured[0]), v->captured[0].length);
	json_put_bytes(out, "stderr", buf_string(&v->captured[1]), v->captured[1].length);
	verdict_json_add_files(out, "files", &v->files, "kind");
	verdict_json_add_files(out, "refused", &v->refused, "reason");
	verdict_json_add_labels(out, labels);
	if (v->network != NETWORK_NONE)
		egress_summary_write(v->network == NETWORK_COUNTED ? &v->egress : NULL, "egress",
				     out);
	json_put_end(out, '}');
	buf_text(out, "\n");
}
