/*
 * session_state - checkpoint, roll back and freeze a session: /v1/sessions/ID/checkpoint, ...
 *
 * A checkpoint or a rollback that fails halfway may end the session: 410, with the reason.
 */
#include "serve/routes.h"

#include "base/json_put.h"
#include "request/session_work.h"
#include "session/threads.h"

/* The name of the checkpoint is in the body. */
static bool session_state_answer_named(struct session_work *w)
{
	auto_buf struct buf body = {0};

	if (w->result.failed) { /* the session is lost as well */
		request_refuse(w->request, 410, "%s", w->result.error.text);
		return true;
	}
	json_put_begin(&body, NULL, '{');
	json_put_text(&body, "name", w->ask.checkpoint);
	json_put_uint(&body, "duration_ms", w->result.call.duration_us / 1000);
	if (w->ask.action == NOTEBOOK_CHECKPOINT)
		threads_put(&w->result.call.answer, &body);
	json_put_end(&body, '}');
	request_reply(w->request, 200, "application/json", &body);
	return true;
}

static void session_state_begin(struct request *r, enum notebook_action action)
{
	struct session_work *w = session_work_new(r, action, session_state_answer_named);

	session_work_read(w);
	schema_string(&w->body, "name", true, &w->ask.checkpoint);
	if (action == NOTEBOOK_ROLLBACK)
		schema_truth(&w->body, "force", &w->ask.force);
	if (session_work_is_right(w) && session_work_is_theirs(w))
		session_work_queue(w, session_work_start);
	else
		session_work_free(w);
}

void session_state_run_checkpoint(struct request *r)
{
	session_state_begin(r, NOTEBOOK_CHECKPOINT);
}

void session_state_run_rollback(struct request *r)
{
	session_state_begin(r, NOTEBOOK_ROLLBACK);
}

static bool session_state_answer_frozen(struct session_work *w)
{
	const struct cgroup_memory *memory = &w->result.memory;
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	json_put_uint(&body, "resident_bytes", memory->resident_bytes);
	if (memory->has_swap)
		json_put_uint(&body, "swapped_bytes", memory->swapped_bytes);
	else
		json_put_null(&body, "swapped_bytes");
	json_put_end(&body, '}');
	request_reply(w->request, 200, "application/json", &body);
	return true;
}

/* The next call thaws the session. */
void session_state_run_freeze(struct request *r)
{
	struct session_work *w = session_work_new(r, NOTEBOOK_FREEZE, session_state_answer_frozen);

	if (session_work_is_theirs(w))
		session_work_queue(w, session_work_start);
	else
		session_work_free(w);
}
