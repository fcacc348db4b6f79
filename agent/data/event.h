/*
 * event - reports of the loop to the sinks that show or record them.
 *
 * Sinks: screen.c (people), event_json.c (--json), transcript.c. Everything in an event is borrowed
 * during the call. Texts of models and programs are hostile: sinks escape them before they show
 * them (escape.h).
 */
#ifndef GLOVEBOX_AGENT_EVENT_H
#define GLOVEBOX_AGENT_EVENT_H

#include "agent/data/chat.h"
#include "agent/data/execution.h"

enum event_kind {
	EVENT_TASK,     /* text: the user's task */
	EVENT_REQUEST,  /* request; iteration: a round begins */
	EVENT_PIECE,    /* piece, text: a part of the reply, while it arrives */
	EVENT_REPLY,    /* reply: complete */
	EVENT_PROPOSE,  /* text: code that a person is asked to approve; description */
	EVENT_EXECUTE,  /* text: the code that runs next; description */
	EVENT_BEGIN,    /* the sandbox is ready, and the code begins */
	EVENT_OUTPUT,   /* text: some output, while it arrives; stream. The next event has all */
	EVENT_EXECUTED, /* execution; text: the report to the model */
	EVENT_FEEDBACK, /* text: told to the model in place of a result */
	EVENT_NOTICE,   /* text: a line of ours for the user */
	EVENT_ANSWER,   /* text: the final answer */
	EVENT_RESULT,   /* result: the last event of a task */
};

enum outcome {
	OUTCOME_ANSWERED,
	OUTCOME_CAP,
	OUTCOME_DEADLINE,
	OUTCOME_MODEL,
	OUTCOME_SANDBOX,
	OUTCOME_CANCELLED,
	OUTCOME_REFUSED, /* before the first round: flags, files, the image */
};

/* Exit statuses of `glovebox agent`; options_text.c explains them to people. */
enum exit_status {
	EXIT_ANSWERED = 0,
	EXIT_UNANSWERED = 3,  /* the cap of rounds, or the deadline */
	EXIT_MODEL = 4,       /* the model or its server failed */
	EXIT_OURS = 125,      /* no round began, the sandbox failed, or the output was not read */
	EXIT_CANCELLED = 130, /* Ctrl-C */
};

struct task_result {
	enum outcome outcome;
	const char *answer;           /* NULL: none; OUTCOME_CAP: the last text, in its place */
	char *const *unknown_numbers; /* numbers of the answer that the model was never shown */
	size_t unknown_number_count;
	/* files of /output that the answer names, but which do not exist */
	char *const *missing_files;
	size_t missing_file_count;
	const char *error; /* OUTCOME_MODEL, OUTCOME_SANDBOX, OUTCOME_REFUSED: why */
	unsigned iterations;
	const struct execution *executions; /* of this task, in order; their output may be empty */
	size_t execution_count;
	uint64_t prompt_tokens;
	uint64_t reply_tokens;
	uint64_t model_us;
	uint64_t sandbox_us;
	uint64_t start_us;  /* time that code waited for its sandbox */
	uint64_t person_us; /* time that a person took to approve code: --approve */
	uint64_t total_us;
};

struct event {
	enum event_kind kind;
	unsigned iteration;  /* from 1; 0: before the first */
	unsigned iterations; /* at most */
	enum chat_piece piece;
	int stream; /* 0: stdout, 1: stderr */
	const char *text;
	size_t length;
	const char *description; /* NULL */
	const struct chat_request *request;
	const struct chat_reply *reply;
	const struct execution *execution;
	const struct task_result *result;
};

struct event_sink {
	void (*take)(struct event_sink *sink, const struct event *event);
	int error; /* errno of the first failed write, which is the last one; 0 */
};

#endif
