/*
 * execution - the outcome of running one piece of code. Plain data.
 */
#ifndef GLOVEBOX_AGENT_EXECUTION_H
#define GLOVEBOX_AGENT_EXECUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/code_verdict.h"

/* A new or changed file in /output. */
struct execution_file {
	char *path; /* relative to /output; any bytes */
	uint64_t size;
};

struct execution {
	enum code_verdict verdict;
	int exit_code;        /* 0, 1, or the argument of sys.exit(); 124, 137 */
	struct buf output[2]; /* stdout and stderr: any bytes */
	bool truncated[2];    /* the sandbox's limit cut them */
	char *value;          /* text of the last expression; NULL: none */
	char *traceback;      /* complete, with its last line; NULL */
	struct execution_file *files;
	size_t file_count;
	bool files_truncated; /* the list is incomplete */
	uint64_t limit_ms;
	uint64_t limit_bytes;
	bool in_sockets;      /* CODE_MEMORY: too many sockets */
	uint64_t start_us;    /* before: time to make the sandbox */
	uint64_t duration_us; /* wall */
	bool state_lost;      /* variables of earlier executions are lost */
	bool insisted;        /* CODE_CANCELLED by a second Ctrl-C */
	char code_sha256[65];
	char result_sha256[65]; /* of its whole output */
};

/* Free the texts; the verdict stays. */
void execution_fini(struct execution *x);

#endif
