/*
 * execute_result - the JSON of a run that has ended.
 */
#include "request/execute_result.h"

#include "base/json_put.h"
#include "client/verdict_json.h"

#define TRUNCATED "\n...[truncated]"

void execute_result_put(const struct verdict *v, const struct outputs *outputs, struct buf *out)
{
	const bool timed_out = v->kind == VERDICT_WALL_TIME;

	if (timed_out)
		json_put_null(out, "exit_code");
	else
		json_put_int(out, "exit_code", v->kind == VERDICT_OUTPUT ? 0 : v->exit_code);
	json_put_bool(out, "timed_out", timed_out);
	json_put_uint(out, "duration_ms", v->duration_us / 1000);
	outputs_put(outputs, out);
	json_put_text(out, "verdict", verdict_name(v->kind));
	json_put_uint(out, "cpu_ms", v->cpu_us / 1000);
	json_put_uint(out, "memory_peak_bytes", v->memory_peak_bytes);
	json_put_bool(out, "truncated", v->truncated[0] || v->truncated[1]);
	json_put_bool(out, "oom", v->kind == VERDICT_MEMORY);
	json_put_bool(out, "left_behind", v->left_behind);
	verdict_json_full(v, out);
	json_put_bool(out, "no_network", v->no_network);
}

void execute_result_mark_cut(struct buf *text, bool truncated, size_t most)
{
	if (!truncated)
		return;
	buf_cut(text, most - 32);
	buf_text(text, TRUNCATED);
}
