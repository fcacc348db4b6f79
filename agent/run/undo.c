/*
 * undo - restore the variables from before the last task.
 */
#include "agent/run/undo.h"

#include "base/own.h"
#include "service/notebook_wait.h"

#define NAME    "before"
#define WAIT_MS 10000

/* Drop a checkpoint; one that cannot be reached ends by itself. */
static void undo_drop(struct session *s)
{
	for (unsigned i = 0; i < s->checkpoint_count; i++)
		own_close(&s->checkpoints[i].socket);
	s->checkpoint_count = 0;
}

/* Make the checkpoint, or return to it. Returns as notebook_wait(). */
static int undo_ask(struct executor *x, enum notebook_action action, bool force, int signal_fd,
		    bool *refused, struct err *e)
{
	const struct notebook_request request = {.action = action,
						 .own = executor_session(x),
						 .checkpoint = NAME,
						 .force = force,
						 .call.timeout_ms = WAIT_MS};
	const struct notebook_wait wait = {.signal_fd = signal_fd};
	struct notebook_result result;
	int failed = notebook_wait(&request, &wait, &result, e);

	*refused = result.call.ends_threads;
	if (result.call.lost)
		executor_forget(x);
	notebook_result_fini(&result);
	return failed;
}

enum undo undo_mark(struct executor *x, int signal_fd)
{
	struct err ignored;
	bool refused;

	if (!executor_session(x))
		return UNDO_NO_VARIABLES;
	undo_drop(executor_session(x));
	return undo_ask(x, NOTEBOOK_CHECKPOINT, false, signal_fd, &refused, &ignored)
		       ? UNDO_NOTHING
		       : UNDO_CHECKPOINT;
}

int undo_return(struct executor *x, enum undo marked, bool force, int signal_fd, bool *refused,
		struct err *e)
{
	struct session *session = executor_session(x);
	int failed;

	*refused = false;
	if (marked == UNDO_NO_VARIABLES) {
		executor_forget(x);
		return 0;
	}
	if (marked == UNDO_NOTHING || !session || !session->checkpoint_count)
		return err_set(e, ERR_GONE, "the variables of then are gone");
	failed = undo_ask(x, NOTEBOOK_ROLLBACK, force, signal_fd, refused, e);
	if (!*refused && executor_session(x))
		undo_drop(session);
	return failed;
}
