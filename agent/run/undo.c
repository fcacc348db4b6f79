/*
 * undo - restore the variables from before the last task.
 */
#include "agent/run/undo.h"

#include "base/own.h"
#include "client/session.h"

#define NAME       "before"
#define WAIT_MS    10000
#define ANSWER_MAX 65536

/* Drop a checkpoint; one that cannot be reached ends by itself. */
static void undo_drop(struct session *s)
{
	for (unsigned i = 0; i < s->checkpoint_count; i++)
		own_close(&s->checkpoints[i].socket);
	s->checkpoint_count = 0;
}

static struct session_call undo_call(int signal_fd)
{
	return (struct session_call){
		.timeout_ms = WAIT_MS, .answer_max = ANSWER_MAX, .signal_fd = signal_fd};
}

enum undo undo_mark(struct executor *x, int signal_fd)
{
	struct session *session = executor_session(x);
	struct session_call call = undo_call(signal_fd);
	struct err ignored;
	int failed;

	if (!session)
		return UNDO_NO_VARIABLES;
	undo_drop(session);
	failed = session_checkpoint(session, NAME, &call, &ignored);
	buf_fini(&call.answer);
	if (call.lost)
		executor_forget(x);
	return failed ? UNDO_NOTHING : UNDO_CHECKPOINT;
}

int undo_return(struct executor *x, enum undo marked, bool force, int signal_fd, bool *refused,
		struct err *e)
{
	struct session *session = executor_session(x);
	struct session_call call = undo_call(signal_fd);
	int failed;

	*refused = false;
	call.force = force;
	if (marked == UNDO_NO_VARIABLES) {
		executor_forget(x);
		return 0;
	}
	if (marked == UNDO_NOTHING || !session || !session->checkpoint_count)
		return err_set(e, ERR_GONE, "the variables of then are gone");
	failed = session_rollback(session, NAME, &call, e);
	*refused = call.ends_threads;
	buf_fini(&call.answer);
	if (call.lost)
		executor_forget(x);
	else if (!*refused)
		undo_drop(session);
	return failed ? -1 : 0;
}
