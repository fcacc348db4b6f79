/*
 * box_code - code that runs in a context of a box's interpreter.
 */
#include "box/box_code.h"

#include <string.h>

#include "base/own.h"
#include "request/session_account.h"

#define ANSWER_MAX (8u << 20) /* bytes of results and error together */

void box_code_plan(struct session_work *w, const struct box_context *c, const char *code,
		   uint64_t timeout_ms)
{
	w->path = own_strdup(c->cwd);
	w->to = own_strdup(c->id);
	w->ask.call.source = code;
	w->ask.call.length = strlen(code);
	w->ask.call.cwd = w->path;
	w->ask.call.formats = "png";
	w->ask.call.timeout_ms = w->terms.limits.wall_time_ms = timeout_ms;
	w->ask.call.output_max = w->terms.limits.output_bytes;
	w->ask.call.answer_max = ANSWER_MAX;
	session_work_plan_output(w);
}

bool box_code_go(struct session_work *w, struct box *b)
{
	struct box_context *c = box_context(b, w->to);

	if (*w->to && !c)
		return false;
	if (!session_account_admit(w)) {
		session_work_free(w);
		return true;
	}
	if (c) {
		memcpy(w->context, c->slot, sizeof(w->context));
		w->ask.call.context = w->context;
		w->ask.call.fresh = c->is_fresh;
		c->is_fresh = false;
	}
	session_work_start(w);
	return true;
}
