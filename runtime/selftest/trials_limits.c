/*
 * trials_limits - programs that meet a limit.
 */
#include "selftest/trials.h"

#include <string.h>

/*
 * Run it until the kernel or glovebox ends it. Returns the status; -1 with *e if the probe did not
 * start, or does not end.
 */
static int trials_limits_run(struct selftest *t, struct caller *c, const char *flags,
			     const char *options, size_t *printed, struct err *e)
{
	auto_buf struct buf said = {0};
	struct caller_run r;
	int status;

	if (trial_start(t, c, flags, options, &r, e))
		return -1;
	status = caller_wait(&r, TRIAL_MS);
	caller_read(r.out, &said);
	if (status < 0) {
		err_set(e, ERR_LIMIT, "a sandbox did not end within %d ms", TRIAL_MS);
	} else if (strncmp(buf_string(&said), "begun\n", 6) != 0) {
		trial_failed(&r, status, e);
		status = -1;
	} else {
		trial_note_answer(t, &r);
	}
	if (printed)
		*printed = said.length;
	caller_end(&r);
	return status;
}

/* Run it, and expect that status. */
static int trials_limits_end(struct selftest *t, struct caller *c, const char *layer,
			     const char *what, const char *flags, const char *options, int wanted,
			     struct err *e)
{
	int status = trials_limits_run(t, c, flags, options, NULL, e);

	if (status < 0)
		return -1;
	selftest_note(t, layer, what, status == wanted, "status %d", status);
	return 0;
}

int trial_memory(struct selftest *t, struct caller *c, struct err *e)
{
	return trials_limits_end(t, c, "memory", "64 MiB: a program that takes 256 is ended",
				 "--memory 64m", "mode=memory mib=256", 137, e);
}

/* If sockets count as memory, the kernel kills the program (137); otherwise the probe judges. */
int trial_sockets(struct selftest *t, struct caller *c, struct err *e)
{
	int status = trials_limits_run(t, c, "--memory 64m", "mode=sockets mib=96", NULL, e);

	if (status < 0)
		return -1;
	selftest_note(t, "socket-memory", "how a program that fills them ends",
		      status == 0 || status == 137, "status %d", status);
	return 0;
}

/* 64 MiB allow 1024 sockets, each with its possible queue (sandbox/socket_count.c). */
int trial_socket_count(struct selftest *t, struct caller *c, struct err *e)
{
	return trials_limits_end(t, c, "socket-count",
				 "64 MiB: a program with 1440 sockets is ended", "--memory 64m",
				 "mode=socketcount", 137, e);
}

/* The probe judges. */
int trial_pids(struct selftest *t, struct caller *c, struct err *e)
{
	return trials_limits_run(t, c, "--pids-limit 16", "mode=processes most=16", NULL, e) < 0
		       ? -1
		       : 0;
}

/*
 * Use 40 ms of a fiftieth of a CPU, which takes 2 s; 200 ms of a tenth if a Python has to become
 * the probe first. A busy machine must not look like a limit: without one, a program that gets a
 * thirtieth of a CPU for the former, or a seventh for the latter, needs less than 1.5 s.
 */
int trial_cpu(struct selftest *t, struct caller *c, struct err *e)
{
	const char *flags = c->warm ? "--cpus 0.1" : "--cpus 0.02";
	const char *options = c->warm ? "mode=cpu ms=200 least=1500" : "mode=cpu ms=40 least=1500";

	return trials_limits_run(t, c, flags, options, NULL, e) < 0 ? -1 : 0;
}

/* Use the short limit, unless a slow machine needs longer to start the program. */
int trial_cpu_time(struct selftest *t, struct caller *c, struct err *e)
{
	return trials_limits_end(t, c, "cpu-time", "200 ms: a program that takes 2 s is ended",
				 "--cpu-time 200ms", "mode=cpu ms=2000", 137, e) &&
			       trials_limits_end(t, c, "cpu-time",
						 "1 s: a program that takes 2 s is ended",
						 "--cpu-time 1s", "mode=cpu ms=2000", 137, e)
		       ? -1
		       : 0;
}

int trial_output(struct selftest *t, struct caller *c, struct err *e)
{
	size_t printed = 0;
	int status =
		trials_limits_run(t, c, "--output-limit 64k", "mode=output kib=1024", &printed, e);

	if (status < 0)
		return -1;
	selftest_note(t, "output", "64 KiB: no more of 1 MiB comes through",
		      printed <= 65536 && status == 123, "%zu bytes, status %d", printed, status);
	return 0;
}
