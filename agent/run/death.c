/*
 * death - how a session ended that was lost, as an execution.
 */
#include "agent/run/death.h"

#include <poll.h>
#include <sys/wait.h>

#include "base/own.h"
#include "host/spawn.h"

/* What pid 1 of the cell said about the end of the program; -1: nothing. */
static int last_status(const struct session *s)
{
	struct pollfd fd = {s->fds[SESSION_CONTROL], POLLIN, 0};
	struct child child = child_none();
	int status = -1;
	struct report r;
	int got;

	child.control = fd.fd;
	while (status < 0 && poll(&fd, 1, 0) > 0 && child_receive(&child, &r, &got)) {
		own_close(&got);
		if (r.kind == REPORT_EXIT)
			status = r.value;
	}
	return status;
}

void death_read(const struct session *s, const struct session_call *call, struct execution *out)
{
	int status = last_status(s);

	if (call->timed_out) {
		out->verdict = EXECUTION_TIMEOUT;
	} else if (call->interrupted) {
		out->verdict = EXECUTION_CANCELLED;
	} else if (session_oom_kills(s) > 0) {
		out->verdict = EXECUTION_MEMORY;
		out->exit_code = 137;
	} else {
		out->verdict = EXECUTION_CRASHED;
		out->exit_code = status < 0            ? 137
				 : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
						       : WEXITSTATUS(status);
	}
}
