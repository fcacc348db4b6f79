/*
 * event - what the loop reports to those that show or record it.
 *
 * Sinks: screen.c (people), event_json.c (--json), transcript.c. Everything in an event is borrowed
 * and valid during the call only. Texts of models and programs are hostile: a sink that shows them
 * escapes them (escape.h).
 */
#ifndef GLOVEBOX_AGENT_EVENT_H
#define GLOVEBOX_AGENT_EVENT_H

#include "agent/data/chat.h"
#include "agent/data/execution.h"

enum event_kind {
	EVENT_TASK,     /* text: the user's task */
	EVENT_REQUEST,  /* request; iteration: a round begins */
	EVENT_PIECE,    /* piece, text: a part of the reply, as it comes */
	EVENT_REPLY,    /* reply: complete */
	EVENT_PROPOSE,  /* text: code that a person is asked about; description */
	EVENT_EXECUTE,  /* text: the code that will run now; description */
	EVENT_BEGIN,    /* the sandbox is there, and the code begins */
	EVENT_OUTPUT,   /* text: what it prints, as it comes; stream. All of it is in the next */
	EVENT_EXECUTED, /* execution; text: what the model is told about it */
	EVENT_FEEDBACK, /* text: what the model is told instead of a result */
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
	OUTCOME_REFUSED, /* before anything was begun: flags, files, the image */
};

/* Of `glovebox agent`; options_text.c explains them to people. */
enum exit_status {
	EXIT_ANSWERED = 0,
	EXIT_UNANSWERED = 3, /* the cap of rounds, or the deadline */
	EXIT_MODEL = 4,      /* the model or its server failed */
	EXIT_OURS =
		125, /* nothing was begun, no sandbox could be made, or nobody reads our output */
	EXIT_CANCELLED = 130, /* Ctrl-C */
};

struct task_result {
	enum outcome outcome;
	const char *answer; /* NULL: none; OUTCOME_CAP: the last text, which stands for it */
	char *const *unknown_numbers; /* of the answer, that nothing had shown to the model */
	size_t unknown_number_count;
	char *const *missing_files; /* that it names in /output, where they are not */
	size_t missing_file_count;
	const char *error; /* OUTCOME_MODEL, OUTCOME_SANDBOX, OUTCOME_REFUSED: why */
	unsigned iterations;
	const struct execution *executions; /* of this task, in order; their output may be empty */
	size_t execution_count;
	uint64_t prompt_tokens;
	uint64_t reply_tokens;
	uint64_t model_us;
	uint64_t sandbox_us;
	uint64_t start_us;  /* that code waited for its sandbox to be made */
	uint64_t person_us; /* that a person was asked: --approve */
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
	int error; /* errno of a failed write, after which nothing more is written; 0 */
};

#endif
