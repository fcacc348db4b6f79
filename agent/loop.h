/*
 * loop - run a task from its first request to its result.
 *
 * Theory of operation. A round is one reply of the model and its consequences:
 *
 *   request > reply > code?   run it (executor), and report the outcome to the model (report)
 *          (decide.h) answer? done
 *                     else    tell the model what is missing
 *
 * until an answer, the cap of rounds, the deadline, or a failure. The model's text is untrusted:
 * all it can do is run code in the sandbox.
 *
 * Every event goes to the sinks (event.h); the loop prints nothing.
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
#include "agent/reply/numbers.h"
#include "agent/run/executor.h"
#include "agent/server/server.h"
#include "agent/show/cells.h"
#include "agent/tell/conversation.h"

#define LOOP_SINKS 4

struct agent_loop {
	/* Set by the caller; borrowed. */
	const struct agent_options *options;
	const char *model_name;
	const char *system; /* text of --system; NULL: ours */
	struct model *model;
	struct server_options server; /* server of the model, for load_start() */
	struct executor *executor;
	struct event_sink *sinks[LOOP_SINKS];
	size_t sink_count;
	struct cells *cells; /* one of the sinks */
	int output_fd;       /* of /output */
	int signal_fd;       /* SIGINT; readable once per Ctrl-C */
	int data_fd;         /* the workspace; -1: none */
	pid_t loading;       /* load.h; owned; -1: none */
	bool talking;        /* a person reads each answer, and can reply */

	/* The loop's state, kept from task to task. */
	struct conversation conversation;
	struct numbers numbers; /* numbers that the model was shown */
	enum chat_think think;
	bool tools;         /* offer tools to the model */
	bool sees;          /* the model accepts pictures */
	bool looked_up;     /* facts about the model were asked for */
	bool placed;        /* the model's placement was asked for */
	bool requested;     /* a request has been answered */
	bool insisted;      /* a second Ctrl-C ended the last task */
	unsigned iteration; /* of the current task */
};

/* Return the parameters that all requests share. */
struct chat_request loop_request(const struct agent_loop *l);

/* Return the exit status for the outcome of the last task. */
enum exit_status loop_exit_status(enum outcome outcome);

/*
 * loop_run - run one task; the conversation continues from the last one.
 * @text  the task; it may be hostile.
 * Returns the outcome; everything else went to the sinks.
 */
enum outcome loop_run(struct agent_loop *l, const char *text);

/* Drop the conversation and the variables. */
void loop_forget(struct agent_loop *l);

/* Free the loop's state; members set by the caller stay the caller's. */
void loop_fini(struct agent_loop *l);

/* --- shared by loop.c, round.c and fallback.c --------------------------------------------- */

/* One task in progress. */
struct task {
	struct agent_loop *loop;
	int cancel_fd; /* owned: readable on Ctrl-C, at the deadline, and when the sandbox fails */
	int timer_fd;  /* owned; -1: no deadline */
	uint64_t started_us;
	uint64_t deadline_us; /* UINT64_MAX: none */
	struct execution *executions;
	size_t execution_count;
	unsigned same_failures; /* of the latest code, consecutive */
	bool asks_for_code;
	bool in_blocks;       /* the model writes code in blocks, although tools are offered */
	bool approves_all;    /* a person has approved all code of this task */
	unsigned asked;       /* enum asked */
	struct list pictures; /* left by the code of this round */
	uint64_t num_predict;
	char *answer;
	char *last_text;  /* fallback for an answer; NULL */
	char *last_error; /* of the latest execution; NULL: it succeeded */
	struct err error;
	struct task_result result;
};

enum step { STEP_ON, STEP_AGAIN, STEP_ANSWERED, STEP_CANCELLED, STEP_DEADLINE, STEP_SANDBOX };

/* Send an event to every sink; sets its round numbers. */
void loop_tell(struct agent_loop *l, struct event *event);

/* Send a line for the user. */
void loop_notice(struct agent_loop *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Whether the task's deadline has passed. */
bool task_is_late(const struct task *t);

/* Returns true once per Ctrl-C. */
bool task_was_interrupted(const struct task *t);

/*
 * fallback.c: before the first request, find out what the model supports. -1: no server, or it
 * lacks the model.
 */
int fallback_look_up(struct agent_loop *l, enum model_failure *why, struct err *e);

/* After a failure. true: retry with less. */
bool fallback_step(struct agent_loop *l, enum model_failure why);

/* After a reply: send warnings, each once. */
void fallback_check(struct agent_loop *l, const struct chat_reply *reply);

/* Tell the model this text in place of a result. @call  the call that it answers; NULL. */
void round_feed_back(struct task *t, const struct chat_call *call, const char *text);

/*
 * The code of a call does not run: answer the call, since servers reject a conversation with
 * unanswered calls. Returns @step.
 */
enum step round_not_run(struct task *t, const struct chat_call *call, enum step step);

/* Add a reply (emptied here) to the conversation, and act on it. */
enum step round_finish(struct task *t, struct chat_reply *reply);

#endif
