/*
 * prompt - our texts for a model: agent/prompts/, with their placeholders.
 *
 * A placeholder is {{name}}. Values are put in once and never read again, so a file name that
 * contains "{{rounds}}" stays as it is.
 *
 * The system text should be written once for a task and then stay the same: a server caches what it
 * computed for an unchanged prefix. What changes with every round is in the last message
 * (prompt_put_rounds_left).
 */
#ifndef GLOVEBOX_AGENT_PROMPT_H
#define GLOVEBOX_AGENT_PROMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum prompt_text {
	PROMPT_SYSTEM_FENCED, /* the main text, code in fences */
	PROMPT_SYSTEM_TOOLS,  /* the main text, code in calls of execute_python */
	PROMPT_SETUP,         /* for a model made by `agent setup`: no placeholders */
	PROMPT_REPEATED,      /* the code is the same that has just failed */
	PROMPT_KNOWN,         /* the code is the same, and so would be its result */
	PROMPT_FAILED,        /* an answer after a failure; the error follows */
	PROMPT_LAST_ROUND,    /* the next reply must be the answer */
	PROMPT_NOTHING,       /* neither code nor answer */
	PROMPT_CUT_OFF,       /* the reply ended in the middle of its code */
	PROMPT_REFUSED,       /* a person did not let the code run */
	PROMPT_NOT_RUN,       /* the answer shows code, and none has run */
};

struct prompt_facts {
	unsigned rounds;      /* {{rounds}}: replies that the model may give */
	uint64_t timeout_ms;  /* {{timeout}} */
	uint64_t memory_max;  /* {{memory}}: bytes; 0: no limit */
	bool fresh;           /* {{state}}: every script starts without variables */
	const char *network;  /* {{network}}: hosts that are reached; NULL: none */
	const char *packages; /* {{packages}}; NULL: none are known */
	int data_fd;          /* {{data}}: the present content of /data; borrowed; -1: nothing */
};

/* A text as it is, with its placeholders. */
const char *prompt_text(enum prompt_text which);

/* How many replies the model may still give: the end of every message to it. */
void prompt_put_rounds_left(unsigned rounds, struct buf *out);

/*
 * prompt_fill - put the facts into a text of ours or of --system.
 *
 * @out  appended to; at most the text plus some 8 KiB.
 * Runs: the agent.  Reads: what is below facts->data_fd, following no link.
 * Errors: ERR_INPUT for an unknown placeholder; the text lists the known ones.
 */
int prompt_fill(const char *text, const struct prompt_facts *facts, struct buf *out, struct err *e);

#endif
