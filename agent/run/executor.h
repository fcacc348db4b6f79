/*
 * executor - runs code of a model in a sandbox: a session of a warm cell.
 *
 * The workspace is at /data (read-only), the output directory at /output, which is the
 * working directory too. A session that is lost (memory, a crash, code that no interrupt
 * reaches) is replaced at the next execution, and that execution says so.
 *
 * Runs: the agent. Everything that comes out of a cell is hostile (cell/session.h).
 */
#ifndef GLOVEBOX_AGENT_EXECUTOR_H
#define GLOVEBOX_AGENT_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/data/execution.h"
#include "base/err.h"

struct executor;

/* Copied, but for the descriptors. */
struct executor_options {
	const char *image;     /* as the user wrote it */
	bool trust_image;      /* though it was imported */
	const char *workspace; /* absolute and resolved; NULL: /data is empty */
	const char *output;    /* absolute and resolved */
	int workspace_fd;      /* of that directory; borrowed; -1: none */
	int output_fd;         /* of that directory; borrowed */
	bool fresh;            /* a new session for every execution */
	char *const *limits;   /* flags of `glovebox run` */
	size_t limit_count;
};

/*
 * executor_open - check what the sandbox shall be, and have it made in the background.
 *
 * Call while the process is small, and with SIGINT as it should be for children.
 * @out  owned: executor_close().
 * Errors: limits that are wrong or that no warm cell has, an image that is not there.
 */
int executor_open(const struct executor_options *options, struct executor **out, struct err *e);

/* Returns when everything of it is gone. NULL: does nothing. */
void executor_close(struct executor *x);

/* The memory limit in bytes; every cell has one. */
uint64_t executor_memory_max(const struct executor *x);

/* What is installed, in words; NULL: what the image "python" has. Borrowed. */
const char *executor_packages(const struct executor *x);

/*
 * executor_prepare - have a session, if that takes no waiting.
 * To be called while a model is thinking, as often as it is convenient. Never fails: what
 * is wrong will be wrong again when there is something to run.
 */
void executor_prepare(struct executor *x);

/*
 * executor_failure_fd - has an error (EPOLLERR) when no sandbox can be made any more, so that
 * nobody needs to wait for a model; -1: not known beforehand. Borrowed.
 */
int executor_failure_fd(const struct executor *x);

/* Did that happen? *e says why. */
bool executor_has_failed(const struct executor *x, struct err *e);

struct execution_bounds {
	uint64_t timeout_ms;  /* of the code itself */
	uint64_t deadline_us; /* of the task, on the monotonic clock; UINT64_MAX: none */
	int signal_fd;        /* the first signal interrupts the code, the second kills the cell */
};

/*
 * executor_run - run one piece of code to its end.
 *
 * @out  on success owned: execution_fini().
 * Errors: no sandbox could be made. Whatever the code does is no error.
 */
int executor_run(struct executor *x, const char *code, const struct execution_bounds *bounds,
		 struct execution *out, struct err *e);

/* Of executions that are over: forget files that are there no more. */
void executor_drop_gone(const struct executor *x, struct execution *executions, size_t count);

/* Forget the variables: the next execution starts clean, and nothing is said about it. */
void executor_forget(struct executor *x);

#endif
