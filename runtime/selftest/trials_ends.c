/*
 * trials_ends - what the end of glovebox ends, whichever end that is.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "selftest/trials.h"
#include "selftest/waiting.h"

#define END_MS    5000 /* what is killed has ended by then */
#define TIMED_OUT 124
#define SHORT     "--timeout 1s"
#define LONG      "--timeout 6s" /* where a slow machine takes longer than that to begin */
#define LONG_MS   6000

/*
 * Do all of them end, within that time? What does not is killed, but not before all were looked at:
 * with pid 1 the others end.
 */
static void trials_ends_await(struct selftest *t, const struct waiting *w, const char *layer,
			      const char *by, unsigned ms)
{
	static const char *const who[] = {"pid 1", "the program", "its child"};
	const uint64_t end_us = monotonic_us() + ms * 1000ull;
	bool ended[WAITING_MEMBERS];
	char what[96];

	for (int i = 0; i < WAITING_MEMBERS; i++)
		ended[i] = fd_await(w->pidfds[i], POLLIN, end_us);
	for (int i = 0; i < WAITING_MEMBERS; i++) {
		snprintf(what, sizeof(what), "%s ends by %s", who[i], by);
		selftest_note(t, layer, what, ended[i], "%s", ended[i] ? "it does" : "it lives on");
		if (!ended[i])
			syscall(SYS_pidfd_send_signal, w->pidfds[i], SIGKILL, NULL, 0);
	}
}

static int trials_ends_signal(struct selftest *t, struct caller *c, const char *layer,
			      const char *by, int number, struct err *e)
{
	struct waiting w;

	if (waiting_start(t, c, "", &w, e))
		return -1;
	kill(w.run.pid, number);
	trials_ends_await(t, &w, layer, by, END_MS);
	waiting_end(&w);
	return 0;
}

int trial_kill(struct selftest *t, struct caller *c, struct err *e)
{
	return trials_ends_signal(t, c, "kill", "SIGKILL", SIGKILL, e);
}

int trial_interrupt(struct selftest *t, struct caller *c, struct err *e)
{
	return trials_ends_signal(t, c, "interrupt", "SIGINT", SIGINT, e) ||
			       trials_ends_signal(t, c, "interrupt", "SIGTERM", SIGTERM, e) ||
			       trials_ends_signal(t, c, "interrupt", "SIGHUP", SIGHUP, e)
		       ? -1
		       : 0;
}

int trial_deadline(struct selftest *t, struct caller *c, struct err *e)
{
	struct waiting w;
	int status;

	if (waiting_start(t, c, SHORT, &w, e) && waiting_start(t, c, LONG, &w, e))
		return -1;
	trials_ends_await(t, &w, "deadline", "--timeout", LONG_MS + END_MS);
	status = caller_wait(&w.run, END_MS);
	selftest_note(t, "deadline", "the status says so", status == TIMED_OUT, "status %d",
		      status);
	waiting_end(&w);
	return 0;
}

int trial_init_killed(struct selftest *t, struct caller *c, struct err *e)
{
	struct waiting w;
	int status;

	if (waiting_start(t, c, "", &w, e))
		return -1;
	syscall(SYS_pidfd_send_signal, w.pidfds[WAITING_INIT], SIGKILL, NULL, 0);
	trials_ends_await(t, &w, "kill", "the end of pid 1", END_MS);
	status = caller_wait(&w.run, END_MS);
	selftest_note(t, "kill", "glovebox ends with its pid 1, and not well", status > 0,
		      "status %d", status);
	waiting_end(&w);
	return 0;
}
