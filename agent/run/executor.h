/*
 * executor - runs a model's code in a sandbox: a session of a warm cell.
 *
 * The workspace is at /data (read-only), the output directory at /output, which is the working
 * directory too. A session that is lost (memory, a crash, code that no interrupt reaches) is
 * replaced at the next execution, whose result says so.
 *
 * Runs: the agent. Everything that comes out of a cell is hostile (client/session.h).
 */
#ifndef GLOVEBOX_AGENT_EXECUTOR_H
#define GLOVEBOX_AGENT_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/data/execution.h"
#include "agent/run/run_call.h"
#include "base/err.h"
#include "client/supplier.h"

struct executor;
struct places;
struct sandbox_spec;
struct session;

/* Copied, but for what is borrowed: that stays until executor_close(). */
struct executor_options {
	struct supplier_terms warm;        /* with the image as the user wrote it */
	const struct places *places;       /* without a workspace /data is empty; borrowed */
	bool fresh;                        /* a new session for every execution */
	const struct sandbox_spec *limits; /* of which only they count; borrowed */
};

/*
 * executor_open - check what the sandbox shall be, and have it made in the background.
 *
 * Call it while the process is small, and with SIGINT as children shall have it.
 * @out  owned: executor_close().
 * Errors: limits that are wrong or that no warm cell has; a missing image.
 */
int executor_open(const struct executor_options *options, struct executor **out, struct err *e);

/* Returns when everything of it has ended. NULL: does nothing. */
void executor_close(struct executor *x);

/* The memory limit in bytes; every cell has one. */
uint64_t executor_memory_max(const struct executor *x);

/* The installed packages, in words (client/image_packages.h). Borrowed. */
const char *executor_packages(const struct executor *x);

/*
 * executor_prepare - get a session if that takes no waiting.
 * Call it while a model is thinking, as often as is convenient. Never fails: an error will occur
 * again when there is something to run.
 */
void executor_prepare(struct executor *x);

/*
 * executor_failure_fd - has an error (EPOLLERR) when no sandbox can be made any more, so that
 * waiting for a model is useless; -1: not known in advance. Borrowed.
 */
int executor_failure_fd(const struct executor *x);

/* Whether that has happened; *e says why. */
bool executor_has_failed(const struct executor *x, struct err *e);

struct execution_bounds {
	uint64_t timeout_ms;  /* for the code itself */
	uint64_t deadline_us; /* for the task, on the monotonic clock; UINT64_MAX: none */
	int signal_fd;        /* the first signal interrupts the code, the second kills the cell */
	struct run_watcher watcher;
};

/*
 * executor_run - run one piece of code to its end.
 *
 * @out  on success owned: execution_fini().
 * Errors: no sandbox could be made. Whatever the code does is not an error.
 */
int executor_run(struct executor *x, const char *code, const struct execution_bounds *bounds,
		 struct execution *out, struct err *e);

/* Remove from earlier executions the files that no longer exist. */
void executor_drop_gone(const struct executor *x, struct execution *executions, size_t count);

/* The session in which code runs now, for undo.c; borrowed; NULL: none. */
struct session *executor_session(struct executor *x);

/* Forget the variables: the next execution starts clean, without a note about it. */
void executor_forget(struct executor *x);

#endif
