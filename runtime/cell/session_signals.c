/*
 * session_signals - what a signal to us means for the call that we wait for.
 */
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cell/session.h"

unsigned session_call_signals(struct session_call *call)
{
	struct signalfd_siginfo info;
	unsigned count = 0;

	while (read(call->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			continue;
		call->insisted = call->interrupted;
		call->interrupted = true;
		count++;
	}
	return count;
}
