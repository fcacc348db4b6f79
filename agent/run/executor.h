/*
 * executor - run a model's code in a sandbox: a session of a warm cell.
 *
 * The workspace is at /data (read-only), the output directory at /output, which is also the working
 * directory. A lost session (memory, a crash, code that ignores interrupts) is replaced at the next
 * execution, whose result reports that.
 *
 * Runs: the agent. Everything from a cell is hostile (session/call.h).
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

/* Copied, except for borrowed members, which must live until executor_close(). */
struct executor_options {
	struct supplier_terms warm;        /* with the image as the user wrote it */
	const struct places *places;       /* borrowed; without a workspace /data is empty */
	bool fresh;                        /* a new session for every execution */
	const struct sandbox_spec *limits; /* borrowed; only its limits are used */
};

/*
 * executor_open - check the sandbox's settings, and start to make it in the background.
 *
 * Call it while the process is small, and with the SIGINT disposition that children shall have.
 * @out  owned: executor_close().
 * Errors: wrong limits, or limits that no warm cell has; a missing image.
 */
int executor_open(const struct executor_options *options, struct executor **out, struct err *e);

/* End everything that the executor started, and wait for that. Safe on NULL. */
void executor_close(struct executor *x);

/* Return the memory limit in bytes; every cell has one. */
uint64_t executor_memory_max(const struct executor *x);

/* The installed packages, in words (image/image_packages.h). Borrowed. */
const char *executor_packages(const struct executor *x);

/*
 * executor_prepare - get a session if that needs no waiting.
 * Call it often while a model is thinking. Never fails: executor_run() meets the error again.
 */
void executor_prepare(struct executor *x);

/*
 * executor_failure_fd - gets an error (EPOLLERR) when sandboxes cannot be made any more, and
 * waiting for a model is useless; -1: not known in advance. Borrowed.
 */
int executor_failure_fd(const struct executor *x);

/* Whether sandboxes cannot be made any more; *e says why. */
bool executor_has_failed(const struct executor *x, struct err *e);

struct execution_bounds {
	uint64_t timeout_ms;  /* for the code itself */
	uint64_t deadline_us; /* for the task, on the monotonic clock; UINT64_MAX: none */
	int signal_fd;        /* the first signal interrupts the code, the second kills the cell */
	struct run_watcher watcher;
};

/*
 * executor_run - run a piece of code to its end.
 *
 * @out  on success owned: execution_fini().
 * Errors: no sandbox could be made. Failures of the code are not errors.
 */
int executor_run(struct executor *x, const char *code, const struct execution_bounds *bounds,
		 struct execution *out, struct err *e);

/* Remove from earlier executions the files that no longer exist. */
void executor_drop_gone(const struct executor *x, struct execution *executions, size_t count);

/* Return the current session, for undo.c; borrowed; NULL: none. */
struct session *executor_session(struct executor *x);

/* Drop the variables: the next execution starts clean, and its result does not report it. */
void executor_forget(struct executor *x);

#endif
