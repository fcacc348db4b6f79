/*
 * loop - a task from its first request to its result.
 *
 * Theory of operation. A round is one reply of the model and its consequences:
 *
 *   request > reply > code?   run it (executor), and report the outcome to the model (report)
 *                     answer? done
 *                     else    tell the model what is missing
 *
 * until an answer, the cap of rounds, the deadline, or a failure. The model's text is untrusted in
 * every respect: all it can do is have code run in the sandbox.
 *
 * Everything that happens goes to the sinks (event.h), and nothing is printed here.
 *
 * Runs: the agent, in its one thread.
 */
#ifndef GLOVEBOX_AGENT_LOOP_H
#define GLOVEBOX_AGENT_LOOP_H

#include <stdbool.h>

#include "agent/data/chat.h"
#include "agent/data/event.h"
#include "agent/data/model.h"
#include "agent/options.h"
#include "agent/run/executor.h"
#include "agent/tell/conversation.h"

#define LOOP_SINKS 3

struct loop {
	/* Set by the caller; borrowed. */
	const struct agent_options *options;
	const char *model_name;
	const char *system; /* text of --system; NULL: ours */
	struct model *model;
	struct executor *executor;
	struct event_sink *sinks[LOOP_SINKS];
	size_t sink_count;
	int signal_fd; /* SIGINT; becomes readable once for each Ctrl-C */
	int data_fd;   /* the workspace; -1: none */

	/* The loop's own, kept from task to task. */
	struct conversation conversation;
	enum chat_think think;
	bool tools;         /* offered to the model */
	bool looked_up;     /* the model's facts are known */
	bool placed;        /* the server was asked where the model runs */
	bool requested;     /* one request has been answered */
	bool insisted;      /* the last task was ended by a second Ctrl-C */
	unsigned iteration; /* of the current task */
};

/* The exit status for the outcome of the last task. */
enum exit_status loop_exit_status(enum outcome outcome);

/*
 * loop_run - work on one task; the conversation continues where the last one ended.
 * @text  the task; it may come from a hostile source.
 * Returns the outcome; everything else has gone to the sinks.
 */
enum outcome loop_run(struct loop *l, const char *text);

/* Forget the conversation and the variables. */
void loop_forget(struct loop *l);

/* Free the conversation; what the caller has set stays the caller's. */
void loop_fini(struct loop *l);

/* --- between loop.c, round.c and fallback.c ------------------------------------------- */

/* One task in progress. */
struct task {
	struct loop *loop;
	int cancel_fd; /* owned: readable on Ctrl-C, at the deadline, and if no sandbox can be made
			*/
	int timer_fd;  /* owned; -1: no deadline */
	uint64_t started_us;
	uint64_t deadline_us; /* UINT64_MAX: none */
	struct execution *executions;
	size_t execution_count;
	unsigned same_failures; /* of the latest code, in a row */
	unsigned plain;         /* replies in a row with neither code nor answer */
	bool asked_again;       /* for this round, because its reply was empty */
	uint64_t num_predict;
	char *answer;
	struct err error;
	struct task_result result;
};

enum step { STEP_ON, STEP_AGAIN, STEP_ANSWERED, STEP_CANCELLED, STEP_DEADLINE, STEP_SANDBOX };

/* Send the event to every sink; sets the event's rounds. */
void loop_tell(struct loop *l, struct event *event);

/* A line for the user. */
void loop_notice(struct loop *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether its deadline has passed. */
bool task_is_late(const struct task *t);

/* True once for each Ctrl-C. */
bool task_was_interrupted(const struct task *t);

/* fallback.c, before the first request: find out what to offer. -1: no server there, or it lacks
 * this model. */
int fallback_look_up(struct loop *l, enum model_failure *why, struct err *e);

/* After a failure. true: ask again, with less. */
bool fallback_step(struct loop *l, enum model_failure why);

/* After a reply: print warnings, each once. */
void fallback_check(struct loop *l, const struct chat_reply *reply);

/* Add a reply (emptied here) to the conversation, and do what it asks for. */
enum step round_finish(struct task *t, struct chat_reply *reply);

#endif
