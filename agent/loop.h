/*
 * loop - a task from its first request to its result.
 *
 * Theory of operation. A round is one reply of the model and its consequences:
 *
 *   request > reply > code?   run it (executor), and report the outcome to the model (report)
 *          (decide.h) answer? done
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
	struct server_options server; /* where it is, for load_start() */
	struct executor *executor;
	struct event_sink *sinks[LOOP_SINKS];
	size_t sink_count;
	struct cells *cells; /* one of them */
	int output_fd;       /* of /output */
	int signal_fd;       /* SIGINT; becomes readable once for each Ctrl-C */
	int data_fd;         /* the workspace; -1: none */
	pid_t loading;       /* load.h; owned; -1: none */
	bool talking;        /* a person reads each answer, and may reply */

	/* The loop's own, kept from task to task. */
	struct conversation conversation;
	struct numbers numbers; /* that the model could know */
	enum chat_think think;
	bool tools;         /* offered to the model */
	bool sees;          /* the model does */
	bool looked_up;     /* the model's facts are known */
	bool placed;        /* the server was asked where the model runs */
	bool requested;     /* one request has been answered */
	bool insisted;      /* the last task was ended by a second Ctrl-C */
	unsigned iteration; /* of the current task */
};

/* What all requests have in common. */
struct chat_request loop_request(const struct agent_loop *l);

/* The exit status for the outcome of the last task. */
enum exit_status loop_exit_status(enum outcome outcome);

/*
 * loop_run - work on one task; the conversation continues where the last one ended.
 * @text  the task; it may come from a hostile source.
 * Returns the outcome; everything else has gone to the sinks.
 */
enum outcome loop_run(struct agent_loop *l, const char *text);

/* Forget the conversation and the variables. */
void loop_forget(struct agent_loop *l);

/* Free the conversation; what the caller has set stays the caller's. */
void loop_fini(struct agent_loop *l);

/* --- between loop.c, round.c and fallback.c ------------------------------------------- */

/* One task in progress. */
struct task {
	struct agent_loop *loop;
	int cancel_fd; /* owned: readable on Ctrl-C, at the deadline, and if no sandbox can be made
			*/
	int timer_fd;  /* owned; -1: no deadline */
	uint64_t started_us;
	uint64_t deadline_us; /* UINT64_MAX: none */
	struct execution *executions;
	size_t execution_count;
	unsigned same_failures; /* of the latest code, in a row */
	bool asks_for_code;
	bool in_blocks;       /* its code comes in blocks, although tools are offered */
	bool approves_all;    /* a person has approved all code of this task */
	unsigned asked;       /* enum asked */
	struct list pictures; /* that code of this round has left */
	uint64_t num_predict;
	char *answer;
	char *last_text;  /* that would do as an answer; NULL */
	char *last_error; /* of the latest execution; NULL: it went well */
	struct err error;
	struct task_result result;
};

enum step { STEP_ON, STEP_AGAIN, STEP_ANSWERED, STEP_CANCELLED, STEP_DEADLINE, STEP_SANDBOX };

/* Send the event to every sink; sets the event's rounds. */
void loop_tell(struct agent_loop *l, struct event *event);

/* A line for the user. */
void loop_notice(struct agent_loop *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Whether its deadline has passed. */
bool task_is_late(const struct task *t);

/* True once for each Ctrl-C. */
bool task_was_interrupted(const struct task *t);

/* fallback.c, before the first request: find out what to offer. -1: no server there, or it lacks
 * this model. */
int fallback_look_up(struct agent_loop *l, enum model_failure *why, struct err *e);

/* After a failure. true: ask again, with less. */
bool fallback_step(struct agent_loop *l, enum model_failure why);

/* After a reply: print warnings, each once. */
void fallback_check(struct agent_loop *l, const struct chat_reply *reply);

/* Tell the model this instead of a result. @call  the call that it answers; NULL. */
void round_feed_back(struct task *t, const struct chat_call *call, const char *text);

/* The code of a call does not run. Every call gets an answer, or a server would refuse the
 * conversation. Returns @step. */
enum step round_not_run(struct task *t, const struct chat_call *call, enum step step);

/* Add a reply (emptied here) to the conversation, and do what it asks for. */
enum step round_finish(struct task *t, struct chat_reply *reply);

#endif
