/*
 * loop - run a task from its first request to its result.
 */
#include "agent/loop.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "agent/decide.h"
#include "agent/doubt.h"
#include "agent/load.h"
#include "agent/overdue.h"
#include "agent/reply/intent.h"
#include "agent/reply/reply_end.h"
#include "agent/tell/data_listing.h"
#include "agent/tell/prompt.h"
#include "base/own.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "netpolicy/egress_words.h"

#define OVERDUE_MS  (SESSION_GRACE_MS + 2000) /* for code to end, and for the last messages */
#define REPLY_SHARE 4 /* the reply gets one part in so many of the context */

enum exit_status loop_exit_status(enum outcome outcome)
{
	static const enum exit_status statuses[] = {
		[OUTCOME_ANSWERED] = EXIT_ANSWERED,   [OUTCOME_CAP] = EXIT_UNANSWERED,
		[OUTCOME_DEADLINE] = EXIT_UNANSWERED, [OUTCOME_MODEL] = EXIT_MODEL,
		[OUTCOME_SANDBOX] = EXIT_OURS,        [OUTCOME_CANCELLED] = EXIT_CANCELLED,
		[OUTCOME_REFUSED] = EXIT_OURS,
	};

	return statuses[outcome];
}

/* -- events ---------------------------------------------------------------------------------- */

void loop_tell(struct agent_loop *l, struct event *event)
{
	event->iteration = l->iteration;
	event->iterations = (unsigned)l->options->iterations;
	for (size_t i = 0; i < l->sink_count; i++)
		l->sinks[i]->take(l->sinks[i], event);
}

void loop_notice(struct agent_loop *l, const char *format, ...)
{
	auto_buf struct buf text = {0};
	va_list arguments;

	va_start(arguments, format);
	buf_vprintf(&text, format, arguments);
	va_end(arguments);
	loop_tell(l, &(struct event){.kind = EVENT_NOTICE,
				     .text = buf_string(&text),
				     .length = text.length});
}

/* -- time and Ctrl-C ------------------------------------------------------------------------- */

bool task_is_late(const struct task *t)
{
	return monotonic_us() >= t->deadline_us;
}

/* Discard a Ctrl-C from before the task. */
static void loop_drain(int signal_fd)
{
	struct signalfd_siginfo info;

	while (read(signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		;
}

bool task_was_interrupted(const struct task *t)
{
	if (!fd_is_ready(t->loop->signal_fd, POLLIN))
		return false;
	loop_drain(t->loop->signal_fd);
	return true;
}

/* @fd  -1: none. */
static int loop_add_wake(int set, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	if (fd < 0)
		return 0;
	return epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
}

/* Make one descriptor that becomes readable when the task should stop. */
static int loop_open_cancel(struct task *t, struct err *e)
{
	uint64_t ms = t->loop->options->deadline_ms;
	const struct itimerspec when = {
		.it_value = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000}
        };

	t->cancel_fd = epoll_create1(EPOLL_CLOEXEC);
	if (t->cancel_fd < 0 || loop_add_wake(t->cancel_fd, t->loop->signal_fd, EPOLLIN) ||
	    loop_add_wake(t->cancel_fd, executor_failure_fd(t->loop->executor), 0))
		return err_sys(e, "watch for Ctrl-C");
	if (!ms)
		return 0;
	t->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (t->timer_fd < 0 || timerfd_settime(t->timer_fd, 0, &when, NULL) ||
	    loop_add_wake(t->cancel_fd, t->timer_fd, EPOLLIN))
		return err_sys(e, "set the deadline");
	return 0;
}

/* -- requests -------------------------------------------------------------------------------- */

/* A reply while it arrives. */
struct coming {
	struct agent_loop *loop;
	struct reply_end end;
	uint64_t since_us;
	uint64_t pieces;
};

static void loop_take_piece(void *context, enum chat_piece kind, const char *text, size_t length)
{
	struct coming *c = context;

	loop_tell(c->loop,
		  &(struct event){
			  .kind = EVENT_PIECE, .piece = kind, .text = text, .length = length});
	reply_end_add(&c->end, kind, text, length);
	c->pieces += length > 0;
	executor_prepare(c->loop->executor);
}

static bool loop_has_enough(void *context)
{
	return ((const struct coming *)context)->end.ended;
}

/*
 * Write the system text once per task: a server caches its computation for an unchanged prefix.
 */
static int loop_write_system(struct agent_loop *l, struct err *e)
{
	const struct agent_options *o = l->options;
	auto_buf struct buf network = {0};
	const struct prompt_facts facts = {
		.rounds = (unsigned)o->iterations,
		.timeout_ms = o->timeout_ms,
		.memory_max = executor_memory_max(l->executor),
		.fresh = o->state == STATE_FRESH,
		.network = egress_words(&o->limits.egress, &network),
		.packages = executor_packages(l->executor),
		.data_fd = l->data_fd,
	};
	const char *text =
		l->system ? l->system
			  : prompt_text(l->tools ? PROMPT_SYSTEM_TOOLS : PROMPT_SYSTEM_FENCED);
	auto_buf struct buf filled = {0};

	if (prompt_fill(text, &facts, &filled, e))
		return l->system ? err_prefix(e, "--system") : -1;
	conversation_set_system(&l->conversation, buf_string(&filled));
	if (l->system)
		numbers_add(&l->numbers, buf_string(&filled), filled.length);
	return 0;
}

static void loop_trim(struct task *t)
{
	struct agent_loop *l = t->loop;
	uint64_t room = l->options->num_ctx;
	uint64_t reply = t->num_predict && t->num_predict < room / REPLY_SHARE ? t->num_predict
									       : room / REPLY_SHARE;

	if (room && !conversation_trim(&l->conversation, room - reply))
		loop_notice(l, "the conversation needs more than --num-ctx %llu",
			    (unsigned long long)room);
}

/* Count incomplete replies as well; without the server's count a piece counts as a token. */
static void loop_add_stats(struct task *t, const struct coming *c, const struct chat_stats *s)
{
	t->result.prompt_tokens += s->prompt_tokens;
	t->result.reply_tokens += s->reply_tokens ? s->reply_tokens : c->pieces;
	t->result.model_us += monotonic_us() - c->since_us;
}

/* Send the conversation once. */
static int loop_ask_once(struct task *t, struct chat_request *request, struct chat_reply *reply,
			 enum model_failure *why)
{
	struct agent_loop *l = t->loop;
	struct coming coming = {.loop = l, .since_us = monotonic_us()};
	const struct chat_sink sink = {loop_take_piece, loop_has_enough, &coming};
	int status;

	loop_trim(t);
	request->messages = l->conversation.messages;
	request->message_count = l->conversation.count;
	request->offer_tools = l->tools;
	request->think = l->think;
	loop_tell(l, &(struct event){.kind = EVENT_REQUEST, .request = request});
	status = l->model->chat(l->model, request, &sink, reply, why, &t->error);
	loop_add_stats(t, &coming, &reply->stats);
	if (!status && coming.end.loop && strlen(reply->message.content) > coming.end.loop) {
		reply->message.content[coming.end.loop] = '\0';
		snprintf(reply->done_reason, sizeof(reply->done_reason), "loop");
	}
	reply_end_fini(&coming.end);
	if (!status)
		load_end(&l->loading);
	return status;
}

struct chat_request loop_request(const struct agent_loop *l)
{
	const struct agent_options *o = l->options;

	return (struct chat_request){
		.model = l->model_name,
		.stream = o->stream,
		.num_ctx = o->num_ctx,
		.num_predict = o->num_predict,
		.temperature = (double)o->temperature_milli / 1000,
		.seed = o->seed,
		.keep_alive = o->keep_alive,
	};
}

/* Request a reply; if the server refuses tools or thinking, retry without. */
static int loop_ask(struct task *t, struct chat_reply *reply, enum model_failure *why)
{
	struct chat_request request = loop_request(t->loop);

	request.num_predict = t->num_predict;
	do {
		if (!loop_ask_once(t, &request, reply, why))
			return 0;
	} while (fallback_step(t->loop, *why) && !loop_write_system(t->loop, &t->error));
	return -1;
}

static enum outcome loop_stopped(struct task *t, enum model_failure why)
{
	if (why != MODEL_CANCELLED)
		return OUTCOME_MODEL;
	if (task_was_interrupted(t))
		return OUTCOME_CANCELLED;
	return executor_has_failed(t->loop->executor, &t->error) ? OUTCOME_SANDBOX
								 : OUTCOME_DEADLINE;
}

/* -- a task ---------------------------------------------------------------------------------- */

/* Returns false when the task is over, with its *outcome. */
static bool loop_do_round(struct task *t, enum outcome *outcome)
{
	struct agent_loop *l = t->loop;
	enum model_failure why = MODEL_BROKEN;
	struct chat_reply reply = {0};
	enum step step;

	if (loop_ask(t, &reply, &why)) {
		*outcome = loop_stopped(t, why);
		l->iteration -= *outcome == OUTCOME_SANDBOX; /* this round was not used */
		return false;
	}
	loop_tell(l, &(struct event){.kind = EVENT_REPLY, .reply = &reply});
	fallback_check(l, &reply);
	step = round_finish(t, &reply);
	chat_reply_fini(&reply);
	switch (step) {
	case STEP_ON:
		return true;
	case STEP_AGAIN:
		loop_notice(l, "the reply was empty or cut short: asking once more");
		return loop_do_round(t, outcome); /* t->asked: at most one retry */
	case STEP_ANSWERED:
		*outcome = OUTCOME_ANSWERED;
		return false;
	case STEP_CANCELLED:
		*outcome = OUTCOME_CANCELLED;
		return false;
	case STEP_DEADLINE:
		*outcome = OUTCOME_DEADLINE;
		return false;
	case STEP_SANDBOX:
		*outcome = OUTCOME_SANDBOX;
		return false;
	}
	abort();
}

static enum outcome loop_work(struct task *t, const char *text)
{
	struct agent_loop *l = t->loop;
	enum outcome outcome = OUTCOME_CAP;
	enum model_failure why = MODEL_BROKEN;
	auto_buf struct buf given = {0};

	l->model->cancel_fd = t->cancel_fd;
	if (fallback_look_up(l, &why, &t->error))
		return loop_stopped(t, why);
	if (loop_write_system(l, &t->error))
		return OUTCOME_MODEL;
	conversation_add_task(&l->conversation, text);
	data_listing(l->data_fd, "/data", &given);
	buf_text(&given, text);
	numbers_add(&l->numbers, given.data, given.length);
	while (l->iteration < l->options->iterations) {
		l->iteration++;
		t->asked &= ~(unsigned)ASKED_EMPTY;
		t->num_predict = l->options->num_predict;
		if (!loop_do_round(t, &outcome))
			break;
		if (task_is_late(t))
			return OUTCOME_DEADLINE;
	}
	if (outcome == OUTCOME_CAP && t->last_text) {
		t->answer = take_ptr(&t->last_text);
		loop_tell(l, &(struct event){.kind = EVENT_ANSWER,
					     .text = t->answer,
					     .length = strlen(t->answer)});
	}
	return outcome;
}

static void loop_finish(struct task *t, enum outcome outcome)
{
	struct task_result *r = &t->result;
	struct doubt doubt = {0};
	char error[600];

	if (t->answer)
		doubt_find(&t->loop->numbers, t->loop->output_fd, t->answer, &doubt, r);
	r->outcome = outcome;
	r->answer = t->answer;
	if (outcome == OUTCOME_MODEL || outcome == OUTCOME_SANDBOX)
		r->error = err_string(&t->error, error, sizeof(error));
	r->iterations = t->loop->iteration;
	executor_drop_gone(t->loop->executor, t->executions, t->execution_count);
	r->executions = t->executions;
	r->execution_count = t->execution_count;
	r->total_us = monotonic_us() - t->started_us;
	loop_tell(t->loop, &(struct event){.kind = EVENT_RESULT, .result = r});
	for (size_t i = 0; i < t->execution_count; i++)
		execution_fini(&t->executions[i]);
	doubt_fini(&doubt);
	list_fini(&t->pictures);
	free(t->executions);
	free(t->answer);
	free(t->last_text);
	free(t->last_error);
	own_close(&t->cancel_fd);
	own_close(&t->timer_fd);
}

enum outcome loop_run(struct agent_loop *l, const char *text)
{
	struct task t = {.loop = l, .cancel_fd = -1, .timer_fd = -1, .started_us = monotonic_us()};
	uint64_t deadline_ms = l->options->deadline_ms;
	enum outcome outcome;

	t.asks_for_code = intent_asks_for_code(text);
	t.deadline_us = deadline_ms ? t.started_us + deadline_ms * 1000 : UINT64_MAX;
	overdue_arm(deadline_ms ? deadline_ms + OVERDUE_MS : 0, EXIT_UNANSWERED);
	l->iteration = 0;
	l->insisted = false;
	loop_drain(l->signal_fd);
	loop_tell(l, &(struct event){.kind = EVENT_TASK, .text = text, .length = strlen(text)});
	outcome = loop_open_cancel(&t, &t.error) ? OUTCOME_SANDBOX : loop_work(&t, text);
	l->model->cancel_fd = -1;
	loop_finish(&t, outcome);
	return outcome;
}

void loop_forget(struct agent_loop *l)
{
	loop_fini(l);
	executor_forget(l->executor);
	l->requested = false;
}

void loop_fini(struct agent_loop *l)
{
	conversation_fini(&l->conversation);
	numbers_fini(&l->numbers);
}
