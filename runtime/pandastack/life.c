/*
 * life - how long a sandbox lives, whether it runs, and what it has not here.
 */
#include "pandastack/calls.h"

#include "base/json_put.h"
#include "loop/clock.h"
#include "pandastack/panda.h"

#define NO_BRANCHES "not served here: snapshots, forks and promotion of sandboxes"

/* -- its lifecycle --------------------------------------------------------------------------- */

static bool life_answer(struct session_work *w)
{
	const uint64_t age_ms = w->result.life.age_ms;
	const uint64_t ttl_ms = w->result.life.ttl_ms;
	struct box *b = panda_meet(w);
	auto_buf struct buf reply = {0};
	char began[CLOCK_UTC_SIZE];
	char ends[CLOCK_UTC_SIZE];

	box_ages(b, age_ms, ttl_ms);
	clock_utc_ms_at(box_began(b, age_ms), began);
	clock_utc_ms_at(box_began(b, age_ms) + ttl_ms, ends);
	json_put(&reply, "{id:%s, ttl_seconds:%lu, persistent:false, created_at:%s, expires_at:%s}",
		 w->name, (unsigned long)(ttl_ms / 1000), began, ends);
	request_reply(w->request, 200, PANDA_JSON, &reply);
	return true;
}

void life_run_get(struct request *r)
{
	struct session_work *w = panda_work(r, NOTEBOOK_LIFE, life_answer);

	if (w)
		session_work_start(w);
}

void life_run_patch(struct request *r)
{
	struct session_work *w = panda_work(r, NOTEBOOK_LIFE, life_answer);
	const struct json *body;

	if (!w)
		return;
	session_work_read(w);
	body = w->body.document;
	if (json_is_true(json_get(body, "persistent"))) {
		request_refuse(r, 400, PANDA_NO_PERSISTENT);
	} else if (!panda_read_time(r, body, "ttl_seconds", 1000, w->ask.life.most_ms,
				    &w->ask.life.ttl_ms)) {
		session_work_start(w);
		return;
	}
	session_work_free(w);
}

/* -- a pause, and its end -------------------------------------------------------------------- */

static bool life_answer_empty(struct session_work *w)
{
	auto_buf struct buf reply = {0};

	buf_text(&reply, "{}");
	request_reply(w->request, 200, PANDA_JSON, &reply);
	return true;
}

static bool life_answer_kept(struct session_work *w)
{
	panda_meet(w)->is_asleep = false;
	return life_answer_empty(w);
}

static bool life_answer_hibernated(struct session_work *w)
{
	panda_meet(w)->is_asleep = true;
	return life_answer_empty(w);
}

static void life_queue(struct request *r, enum notebook_action action,
		       bool (*answer)(struct session_work *w))
{
	struct session_work *w = panda_work(r, action, answer);

	if (w)
		session_work_queue(w, session_work_start);
}

void life_run_pause(struct request *r)
{
	life_queue(r, NOTEBOOK_FREEZE, life_answer_kept);
}

void life_run_hibernate(struct request *r)
{
	life_queue(r, NOTEBOOK_FREEZE, life_answer_hibernated);
}

void life_run_resume(struct request *r)
{
	life_queue(r, NOTEBOOK_THAW, life_answer_kept);
}

/* -- what it has not ------------------------------------------------------------------------- */

void life_run_logs(struct request *r)
{
	auto_buf struct buf reply = {0};

	if (panda_is_theirs(r))
		request_reply(r, 200, "text/plain; charset=utf-8", &reply);
}

void life_run_ports(struct request *r)
{
	auto_buf struct buf reply = {0};

	buf_text(&reply, "[]");
	if (panda_is_theirs(r))
		request_reply(r, 200, PANDA_JSON, &reply);
}

void life_run_refused(struct request *r)
{
	request_refuse(r, 501, NO_BRANCHES);
}
