/*
 * trials_ends - check what ends with glovebox, whichever way it ends.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loop/clock.h"
#include "loop/fd.h"
#include "selftest/trials.h"
#include "selftest/waiting.h"

#define END_MS    5000 /* killed processes have ended by then */
#define TIMED_OUT 124
#define SHORT     "--timeout 1s"
#define LONG      "--timeout 6s" /* for a slow machine that needs longer to start */
#define LONG_MS   6000

/*
 * Check that all of them end in time. Kill the others only after checking all: with pid 1 they
 * would all end.
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
