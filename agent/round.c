/*
 * round - act on one reply: run its code, take its answer, or tell the model what is missing.
 *
 * decide.c decides which, from the task's executions, which this file records.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/approval.h"
#include "agent/data/text.h"
#include "agent/decide.h"
#include "agent/doubt.h"
#include "agent/loop.h"
#include "agent/reply/extract.h"
#include "agent/reply/intent.h"
#include "agent/sight.h"
#include "agent/tell/defuse.h"
#include "agent/tell/prompt.h"
#include "agent/tell/report.h"
#include "agent/watcher.h"
#include "base/encode.h"
#include "base/own.h"

#define MAX_CALLS      8 /* of one reply; more means that the model is out of control */
#define MAX_FAILURES   2 /* of the same code, consecutive */
#define MAX_SAME       2 /* results of the same code */
#define NUM_PREDICT_UP 2 /* factor for a reply that ended in thinking */

static unsigned round_left(const struct task *t)
{
	unsigned most = (unsigned)t->loop->options->iterations;

	return most > t->loop->iteration ? most - t->loop->iteration : 0;
}

static void round_say(struct task *t, enum event_kind kind, const char *text)
{
	loop_tell(t->loop, &(struct event){.kind = kind, .text = text, .length = strlen(text)});
}

static enum step round_answered(struct task *t, const char *text)
{
	free(t->answer);
	t->answer = own_strdup(text);
	round_say(t, EVENT_ANSWER, t->answer);
	return STEP_ANSWERED;
}

/* Add a result for the model, as the answer to a call or as a user's message. */
static void round_add_result(struct task *t, const struct chat_call *call, const char *text)
{
	struct chat_message m = chat_message_make(call ? CHAT_TOOL : CHAT_USER, text);

	if (call) {
		m.tool_name = own_strdup(TOOL_NAME);
		m.tool_call_id = own_strdup(call->id);
	}
	conversation_add(&t->loop->conversation, &m);
}

void round_feed_back(struct task *t, const struct chat_call *call, const char *text)
{
	auto_buf struct buf whole = {0};

	buf_text(&whole, text);
	buf_text(&whole, "\n");
	prompt_put_rounds_left(round_left(t), &whole);
	round_say(t, EVENT_FEEDBACK, buf_string(&whole));
	round_add_result(t, call, buf_string(&whole));
}

/* -- running code ---------------------------------------------------------------------------- */

static const struct execution *round_last_execution(const struct task *t)
{
	return t->execution_count ? &t->executions[t->execution_count - 1] : NULL;
}

/* Count runs of this code with the same result, since variables were last lost. */
static size_t round_count_same(const struct task *t, const char *sha)
{
	const char *result = NULL;
	size_t count = 0;

	for (size_t i = t->execution_count; i > 0 && !t->executions[i - 1].state_lost; i--) {
		const struct execution *x = &t->executions[i - 1];

		if (strcmp(x->code_sha256, sha) != 0 || x->verdict != CODE_OK)
			continue;
		if (result && strcmp(result, x->result_sha256) != 0)
			break;
		result = x->result_sha256;
		count++;
	}
	return count;
}

static enum code_past round_past_of(const struct task *t, const char *code)
{
	const struct execution *last = round_last_execution(t);
	char sha[DIGEST_HEX];

	if (!code || !last)
		return CODE_NEW;
	digest_hex(code, strlen(code), sha);
	if (round_count_same(t, sha) >= MAX_SAME)
		return CODE_REPEATED;
	if (strcmp(last->code_sha256, sha) != 0)
		return CODE_NEW;
	if (last->verdict == CODE_OK)
		return CODE_REPEATED;
	return t->same_failures >= MAX_FAILURES ? CODE_FAILING : CODE_NEW;
}

static void round_count_failure(struct task *t, const struct execution *x)
{
	const struct execution *last = round_last_execution(t);

	if (x->verdict == CODE_OK)
		t->same_failures = 0;
	else if (last && !strcmp(last->code_sha256, x->code_sha256))
		t->same_failures++;
	else
		t->same_failures = 1;
}

/* Record the numbers and the error that the report shows to the model. */
static void round_learn(struct task *t, const struct execution *x, const struct buf *told)
{
	const char *error = x->traceback ? x->traceback : "";
	size_t end = strlen(error);
	size_t start;

	doubt_learn(&t->loop->numbers, x);
	free(t->last_error);
	t->last_error = NULL;
	if (x->verdict == CODE_OK || (x->verdict == CODE_EXIT && !x->exit_code))
		return;
	while (end && error[end - 1] == '\n')
		end--;
	for (start = end; start && error[start - 1] != '\n';)
		start--;
	if (end > start)
		t->last_error = own_strndup(error + start, end - start);
	else
		t->last_error =
			own_strndup(buf_string(told), text_line_end(told->data, 0, told->length));
}

/* Hash the whole output, to recognise it. */
static void round_name_result(struct execution *x)
{
	auto_buf struct buf all = {0};

	for (int i = 0; i < 2; i++)
		buf_printf(&all, "%zu:", x->output[i].length),
			buf_add(&all, x->output[i].data, x->output[i].length);
	buf_text(&all, x->value ? x->value : "");
	digest_hex(buf_string(&all), all.length, x->result_sha256);
}

/* Keep an execution for the task's result, without its output. */
static void round_keep_execution(struct task *t, struct execution *x)
{
	round_name_result(x);
	round_count_failure(t, x);
	buf_fini(&x->output[0]);
	buf_fini(&x->output[1]);
	t->executions = own_resize(t->executions, t->execution_count + 1, sizeof(*t->executions));
	t->executions[t->execution_count++] = *x;
	t->result.sandbox_us += x->duration_us;
	t->result.start_us += x->start_us;
}

static void round_report(struct task *t, const struct chat_call *call, const char *note,
			 const struct execution *x)
{
	const struct report_options options = {
		.output_bytes = report_output_bytes(t->loop->options->num_ctx),
		.note = note,
		.rounds_left = round_left(t),
		.say_rounds = true,
		.say_answer = !call,
		.has_network = t->loop->options->limits.egress.has_list,
	};
	auto_buf struct buf text = {0};

	report_write(x, &options, &text);
	loop_tell(t->loop, &(struct event){.kind = EVENT_EXECUTED,
					   .execution = x,
					   .text = buf_string(&text),
					   .length = text.length});
	round_learn(t, x, &text);
	sight_note(t, x);
	round_add_result(t, call, buf_string(&text));
}

enum step round_not_run(struct task *t, const struct chat_call *call, enum step step)
{
	if (call)
		round_add_result(t, call, "Not run.");
	return step;
}

/* @call  the call with the code; NULL: the code was in the text. */
static enum step round_run_code(struct task *t, const struct extract *what,
				const struct chat_call *call)
{
	struct agent_loop *l = t->loop;
	const struct execution_bounds bounds = watcher_bounds(t);
	auto_approved struct approved may = {0};
	struct execution x;
	enum code_verdict verdict;

	t->asked = 0;
	if (task_was_interrupted(t))
		return round_not_run(t, call, STEP_CANCELLED);
	if (task_is_late(t))
		return round_not_run(t, call, STEP_DEADLINE);
	if (approval_get(t, what, call, &may))
		return may.step;
	if (executor_run(l->executor, may.code, &bounds, &x, &t->error))
		return round_not_run(t, call, STEP_SANDBOX);
	verdict = x.verdict;
	l->insisted = x.insisted;
	round_report(t, call, may.note, &x);
	round_keep_execution(t, &x);
	if (verdict == CODE_CANCELLED)
		return STEP_CANCELLED;
	return task_is_late(t) ? STEP_DEADLINE : STEP_ON;
}

static enum step round_run_block(struct task *t, const struct extract *what)
{
	const enum step step = round_run_code(t, what, NULL);

	sight_show(t);
	return step;
}

/* Keep the text as the answer in case the rounds run out. */
static void round_remember_text(struct task *t, const struct extract *what)
{
	const char *answer = what->answer ? what->answer : what->early_answer;
	const char *text = answer ? answer : what->text;

	if (!what->words || what->mistaken || what->thinking_unclosed ||
	    (!answer && intent_is_announced(text, false)))
		return;
	free(t->last_text);
	t->last_text = own_strdup(text);
}

/* @answer  the reply's words, which are the answer if its code has run already; NULL: none. */
static enum step round_run_call(struct task *t, const struct chat_call *call, const char *answer)
{
	auto_extract struct extract what = {0};
	enum code_past past;

	if (extract_call(call, &what) || !what.code) {
		round_feed_back(t, call, what.note ? what.note : prompt_text(PROMPT_NOTHING));
		return STEP_ON;
	}
	past = round_past_of(t, what.code);
	if (past == CODE_NEW)
		return round_run_code(t, &what, call);
	if (past == CODE_REPEATED && answer)
		return round_not_run(t, call, round_answered(t, answer));
	round_feed_back(t, call,
			prompt_text(past == CODE_FAILING ? PROMPT_REPEATED : PROMPT_KNOWN));
	return STEP_ON;
}

static enum step round_run_calls(struct task *t, const struct chat_message *m)
{
	auto_extract struct extract said = {0};
	enum step step = STEP_ON;

	extract_reply(m->content, &said);
	round_remember_text(t, &said);
	for (size_t i = 0; i < m->call_count; i++) {
		if (step == STEP_ON && i < MAX_CALLS)
			step = round_run_call(t, &m->calls[i],
					      m->call_count == 1 ? t->last_text : NULL);
		else
			round_not_run(t, &m->calls[i], step);
	}
	return step;
}

/* -- replies --------------------------------------------------------------------------------- */

/* Whether a text has numbers that the model was never shown. */
static bool round_has_unknown(const struct task *t, const char *text)
{
	struct unknown_numbers unknown = {0};
	bool any;

	numbers_find_unknown(&t->loop->numbers, text, &unknown);
	any = unknown.count > 0;
	unknown_numbers_fini(&unknown);
	return any;
}

static enum step round_tell(struct task *t, const struct extract *what, enum prompt_text which)
{
	auto_buf struct buf text = {0};

	buf_text(&text, which == PROMPT_NOTHING && what->note ? what->note : prompt_text(which));
	if (which == PROMPT_FAILED)
		defuse_line(t->last_error, strlen(t->last_error), &text);
	round_feed_back(t, NULL, buf_string(&text));
	return STEP_ON;
}

static enum step round_act_on(struct task *t, const struct extract *what, struct decision d)
{
	switch (d.kind) {
	case DECIDE_RUN:
		t->in_blocks = !what->call_count;
		return round_run_block(t, what);
	case DECIDE_ANSWER:
		return round_answered(t, d.text);
	case DECIDE_TELL:
		return round_tell(t, what, d.which);
	case DECIDE_AGAIN:
		if (what->thinking_unclosed && t->num_predict)
			t->num_predict *= NUM_PREDICT_UP;
		return STEP_AGAIN;
	}
	abort();
}

static struct decision round_decide(struct task *t, const struct extract *what, bool cut_off)
{
	const struct situation s = {
		.conversation = t->loop->talking,
		.tools = t->loop->tools && !t->in_blocks,
		.asks_for_code = t->asks_for_code,
		.cut_off = cut_off,
		.last = !round_left(t),
		.ran = t->execution_count,
		.failed = t->last_error,
		.unknown = t->last_error && round_has_unknown(t, what->text),
		.past = round_past_of(t, what->code),
		.asked = t->asked,
	};
	struct decision d = decide(what, &s);

	t->asked |= d.asked;
	return d;
}

/* Do not send thinking back: it costs context, and servers drop it anyway. */
static void round_remember(struct agent_loop *l, struct chat_reply *reply,
			   const struct extract *what)
{
	struct chat_message *m = &reply->message;

	free(m->thinking);
	m->thinking = NULL;
	if (what && what->text[0]) {
		free(m->content);
		m->content = own_strdup(what->text);
	}
	conversation_add(&l->conversation, m);
}

enum step round_finish(struct task *t, struct chat_reply *reply)
{
	bool cut_off = !strcmp(reply->done_reason, "length") || !strcmp(reply->done_reason, "loop");
	auto_extract struct extract what = {0};
	struct decision d;
	enum step step;

	extract_answer_in_call(&reply->message);
	if (reply->message.call_count) {
		struct chat_message calls = chat_message_copy(&reply->message);

		t->in_blocks = false;
		round_remember(t->loop, reply, NULL);
		step = round_run_calls(t, &calls);
		chat_message_fini(&calls);
		sight_show(t);
		return step;
	}
	extract_reply(reply->message.content, &what);
	d = round_decide(t, &what, cut_off);
	if (d.kind != DECIDE_AGAIN) {
		round_remember(t->loop, reply, &what);
		round_remember_text(t, &what);
	}
	return round_act_on(t, &what, d);
}
