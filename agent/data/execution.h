/*
 * execution - the outcome of running one piece of code. Plain data.
 */
#ifndef GLOVEBOX_AGENT_EXECUTION_H
#define GLOVEBOX_AGENT_EXECUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum execution_verdict {
	EXECUTION_OK,        /* it ran to its end */
	EXECUTION_ERROR,     /* an exception ended it: `traceback` */
	EXECUTION_EXIT,      /* it called sys.exit(): `exit_code` */
	EXECUTION_TIMEOUT,   /* limit_ms */
	EXECUTION_MEMORY,    /* limit_bytes; the variables are lost */
	EXECUTION_CRASHED,   /* the interpreter crashed; the variables are lost */
	EXECUTION_CANCELLED, /* the user's Ctrl-C */
};

/* A new or changed file in /output. */
struct execution_file {
	char *path; /* relative to /output; any bytes */
	uint64_t size;
};

struct execution {
	enum execution_verdict verdict;
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
	bool in_sockets;      /* EXECUTION_MEMORY: too many sockets */
	uint64_t start_us;    /* before: time to make the sandbox */
	uint64_t duration_us; /* wall */
	bool state_lost;      /* variables of earlier executions are lost */
	bool insisted;        /* EXECUTION_CANCELLED by a second Ctrl-C */
	char code_sha256[65];
	char result_sha256[65]; /* of its whole output */
};

/* Free the texts; the verdict stays. */
void execution_fini(struct execution *x);

#endif
