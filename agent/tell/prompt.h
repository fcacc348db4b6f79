/*
 * prompt - fill the placeholders of our texts for a model: agent/prompts/.
 *
 * A placeholder is {{name}}. Values are inserted once and not read again, so a file name with
 * "{{rounds}}" stays as it is.
 *
 * Write the system text once per task and keep it: a server caches its computation for an unchanged
 * prefix. What changes with every round is in the last message (prompt_put_rounds_left).
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
	PROMPT_REPEATED,      /* the same code has just failed */
	PROMPT_KNOWN,         /* the same code would give the same result */
	PROMPT_FAILED,        /* an answer after a failure; the error follows */
	PROMPT_LAST_ROUND,    /* the next reply must be the answer */
	PROMPT_NOTHING,       /* neither code nor answer */
	PROMPT_CUT_OFF,       /* the reply ended in the middle of its code */
	PROMPT_REFUSED,       /* a person refused to run the code */
	PROMPT_NOT_RUN,       /* the answer shows code, but none has run */
};

struct prompt_facts {
	unsigned rounds;      /* {{rounds}}: replies left to the model */
	uint64_t timeout_ms;  /* {{timeout}} */
	uint64_t memory_max;  /* {{memory}}: bytes; 0: no limit */
	bool fresh;           /* {{state}}: every script starts without variables */
	const char *network;  /* {{network}}: reachable hosts; NULL: none */
	const char *packages; /* {{packages}}; NULL: unknown */
	int data_fd;          /* {{data}}: the content of /data; borrowed; -1: none */
};

/* Return a text with its placeholders. */
const char *prompt_text(enum prompt_text which);

/* Append the number of replies left to the model, which ends every message to it. */
void prompt_put_rounds_left(unsigned rounds, struct buf *out);

/*
 * prompt_fill - fill the placeholders of one of our texts, or of --system.
 *
 * @out  appended to; at most the text plus some 8 KiB.
 * Runs: the agent.  Reads: files below facts->data_fd, following no link.
 * Errors: ERR_INPUT for an unknown placeholder; the text lists the known ones.
 */
int prompt_fill(const char *text, const struct prompt_facts *facts, struct buf *out, struct err *e);

#endif
