/*
 * round - the consequences of one reply: code that runs, an answer, or feedback for the model.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/data/encode.h"
#include "agent/loop.h"
#include "agent/reply/extract.h"
#include "agent/tell/prompt.h"
#include "agent/tell/report.h"
#include "base/own.h"

#define MAX_CALLS      8 /* in one reply; more is a model out of control */
#define MAX_FAILURES   2 /* of the same code in a row */
#define NUM_PREDICT_UP 2 /* for a reply that ended in the middle of thinking */

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

/* Add it for the model, as the answer to a call or as the user's message. */
static void round_add_result(struct task *t, const struct chat_call *call, const char *text)
{
	struct chat_message m = chat_message_make(call ? CHAT_TOOL : CHAT_USER, text);

	if (call) {
		m.tool_name = own_strdup(TOOL_NAME);
		m.tool_call_id = own_strdup(call->id);
	}
	conversation_add(&t->loop->conversation, &m);
}

static void round_feed_back(struct task *t, const struct chat_call *call, const char *text)
{
	auto_buf struct buf whole = {0};

	buf_text(&whole, text);
	buf_text(&whole, "\n");
	prompt_put_rounds_left(round_left(t), &whole);
	round_say(t, EVENT_FEEDBACK, buf_string(&whole));
	round_add_result(t, call, buf_string(&whole));
}

/* -- running code -------------------------------------------------------------------------- */

static const struct execution *round_last_execution(const struct task *t)
{
	return t->execution_count ? &t->executions[t->execution_count - 1] : NULL;
}

static bool round_last_went_well(const struct task *t)
{
	const struct execution *x = round_last_execution(t);

	return x && x->verdict == EXECUTION_OK;
}

static bool round_was_last(const struct task *t, const char *code)
{
	const struct execution *x = round_last_execution(t);
	char sha[DIGEST_HEX];

	digest_hex(code, strlen(code), sha);
	return x && !strcmp(x->code_sha256, sha);
}

/* The same code has failed as often as it may. */
static bool round_failed_too_often(const struct task *t, const char *code)
{
	return t->same_failures >= MAX_FAILURES && round_was_last(t, code);
}

static void round_count_failure(struct task *t, const struct execution *x)
{
	const struct execution *last = round_last_execution(t);

	if (x->verdict == EXECUTION_OK)
		t->same_failures = 0;
	else if (last && !strcmp(last->code_sha256, x->code_sha256))
		t->same_failures++;
	else
		t->same_failures = 1;
}

/* Keep it for the result, without its output. */
static void round_keep_execution(struct task *t, struct execution *x)
{
	round_count_failure(t, x);
	buf_fini(&x->output[0]);
	buf_fini(&x->output[1]);
	t->executions = own_resize(t->executions, t->execution_count + 1, sizeof(*t->executions));
	t->executions[t->execution_count++] = *x;
	t->result.sandbox_us += x->duration_us;
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
	};
	auto_buf struct buf text = {0};

	report_write(x, &options, &text);
	loop_tell(t->loop, &(struct event){.kind = EVENT_EXECUTED,
					   .execution = x,
					   .text = buf_string(&text),
					   .length = text.length});
	round_add_result(t, call, buf_string(&text));
}

/* Every call gets an answer, or a server would refuse the conversation. */
static enum step round_not_run(struct task *t, const struct chat_call *call, enum step step)
{
	if (call)
		round_add_result(t, call, "Not run.");
	return step;
}

/* @call  the call that asked for it; NULL: it was in the text. */
static enum step round_run_code(struct task *t, const struct extract *what,
				const struct chat_call *call)
{
	struct loop *l = t->loop;
	const struct execution_bounds bounds = {
		.timeout_ms = l->options->timeout_ms,
		.deadline_us = t->deadline_us,
		.signal_fd = l->signal_fd,
	};
	struct execution x;
	enum execution_verdict verdict;

	if (round_failed_too_often(t, what->code)) {
		round_feed_back(t, call, prompt_text(PROMPT_REPEATED));
		return STEP_ON;
	}
	if (task_was_interrupted(t))
		return round_not_run(t, call, STEP_CANCELLED);
	if (task_is_late(t))
		return round_not_run(t, call, STEP_DEADLINE);
	loop_tell(l, &(struct event){.kind = EVENT_EXECUTE,
				     .text = what->code,
				     .length = strlen(what->code),
				     .description = what->description});
	if (executor_run(l->executor, what->code, &bounds, &x, &t->error))
		return round_not_run(t, call, STEP_SANDBOX);
	verdict = x.verdict;
	l->insisted = x.insisted;
	round_report(t, call, what->note, &x);
	round_keep_execution(t, &x);
	if (verdict == EXECUTION_CANCELLED)
		return STEP_CANCELLED;
	return task_is_late(t) ? STEP_DEADLINE : STEP_ON;
}

static enum step round_run_call(struct task *t, const struct chat_call *call)
{
	auto_extract struct extract what = {0};

	if (extract_call(call, &what) || !what.code) {
		round_feed_back(t, call, what.note ? what.note : prompt_text(PROMPT_NOTHING));
		return STEP_ON;
	}
	return round_run_code(t, &what, call);
}

static enum step round_run_calls(struct task *t, const struct chat_message *m)
{
	enum step step = STEP_ON;

	for (size_t i = 0; i < m->call_count; i++) {
		if (step == STEP_ON && i < MAX_CALLS)
			step = round_run_call(t, &m->calls[i]);
		else
			round_not_run(t, &m->calls[i], step);
	}
	return step;
}

/* -- a reply ------------------------------------------------------------------------------- */

/*
 * Text without code or answer. With tools, after an execution, that is how models answer; otherwise
 * they are told once what is expected, and after that their text is accepted.
 */
static enum step round_plain_reply(struct task *t, const struct extract *what)
{
	bool well = round_last_went_well(t);
	bool enough = (t->loop->tools && well) || t->plain > 0 || (well && round_left(t) == 0);

	if (!what->empty && enough)
		return round_answered(t, what->text);
	t->plain += !what->empty;
	round_feed_back(t, NULL, what->note ? what->note : prompt_text(PROMPT_NOTHING));
	return STEP_ON;
}

/* @cut_off  the reply was cut off at its maximal length. */
static enum step round_act_on_text(struct task *t, const struct extract *what, bool cut_off)
{
	if (what->code && what->code_unclosed && cut_off) {
		round_feed_back(t, NULL, prompt_text(PROMPT_CUT_OFF));
		return STEP_ON;
	}
	if (what->answer && what->code_in_answer && !t->execution_count && round_left(t)) {
		round_feed_back(t, NULL, prompt_text(PROMPT_NOT_RUN));
		return STEP_ON;
	}
	if (what->code && what->early_answer && round_last_went_well(t) &&
	    round_was_last(t, what->code))
		return round_answered(t, what->early_answer);
	if (what->code) {
		t->plain = 0;
		return round_run_code(t, what, NULL);
	}
	return what->answer ? round_answered(t, what->answer) : round_plain_reply(t, what);
}

/* An empty reply, or one that ended while thinking, is requested once more and forgotten. */
static bool round_ask_again(struct task *t, const struct extract *what)
{
	if (t->asked_again || !(what->empty || what->thinking_unclosed))
		return false;
	t->asked_again = true;
	if (what->thinking_unclosed && t->num_predict)
		t->num_predict *= NUM_PREDICT_UP;
	return true;
}

/* Thinking is not sent back: it costs context, and servers leave it out anyway. */
static void round_remember(struct loop *l, struct chat_reply *reply, const struct extract *what)
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
	bool cut_off = !strcmp(reply->done_reason, "length");
	auto_extract struct extract what = {0};
	enum step step;

	if (reply->message.call_count) {
		struct chat_message calls = chat_message_copy(&reply->message);

		t->plain = 0;
		round_remember(t->loop, reply, NULL);
		step = round_run_calls(t, &calls);
		chat_message_fini(&calls);
		return step;
	}
	extract_reply(reply->message.content, &what);
	if (round_ask_again(t, &what))
		return STEP_AGAIN;
	round_remember(t->loop, reply, &what);
	return round_act_on_text(t, &what, cut_off);
}
