/*
 * loop - a task from its first request to its result.
 *
 * Theory of operation. A round is one reply of the model and what comes of it:
 *
 *   request > reply > code?   run it (executor), tell the model what came of it (report)
 *                     answer? done
 *                     else    tell the model what is missing
 *
 * until an answer, the cap of rounds, the deadline, or a failure. What the model says is
 * untrusted in every respect: all it can do is have code run in the sandbox.
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
#include "agent/data/exit_status.h"
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

	/* The loop's own, from task to task. */
	struct conversation conversation;
	enum chat_think think;
	bool tools;         /* offered */
	bool looked_up;     /* the model's facts are known */
	bool placed;        /* where it runs was looked at */
	bool requested;     /* one request has been answered */
	bool insisted;      /* the last task ended by Ctrl-C twice */
	unsigned iteration; /* of the current task */
};

/* What the process ends with, if this is how its task ended. */
enum exit_status loop_exit_status(enum outcome outcome);

/*
 * loop_run - work on one task; the conversation goes on where the last one ended.
 * @text  the task. Hostile as far as a task from elsewhere may be.
 * Returns the outcome; everything else has gone to the sinks.
 */
enum outcome loop_run(struct loop *l, const char *text);

/* Forget what was said, and the variables. */
void loop_forget(struct loop *l);

/* Free the conversation; what the caller has set stays the caller's. */
void loop_fini(struct loop *l);

/* --- between loop.c and round.c ------------------------------------------------------- */

/* One task while it is worked on. */
struct task {
	struct loop *loop;
	int cancel_fd; /* owned: readable on Ctrl-C, at the deadline, and without a sandbox */
	int timer_fd;  /* owned; -1: no deadline */
	uint64_t started_us;
	uint64_t deadline_us; /* UINT64_MAX: none */
	struct execution *executions;
	size_t execution_count;
	unsigned same_failures; /* of the last code, in a row */
	unsigned plain;         /* replies in a row with neither code nor answer */
	bool asked_again;       /* for this round's reply, which was empty */
	uint64_t num_predict;
	char *answer;
	struct err error;
	struct task_result result;
};

enum step { STEP_ON, STEP_AGAIN, STEP_ANSWERED, STEP_CANCELLED, STEP_DEADLINE, STEP_SANDBOX };

/* To every sink; sets the event's rounds. */
void loop_tell(struct loop *l, struct event *event);

/* A line for the user. */
void loop_notice(struct loop *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Is its deadline over? */
bool task_is_late(const struct task *t);

/* Once for each Ctrl-C. */
bool task_was_interrupted(const struct task *t);

/* Take a reply (emptied here) into the conversation, and do what it asks for. */
enum step round_finish(struct task *t, struct chat_reply *reply);

#endif
