/*
 * monitor - the process of one sandbox that stays.
 *
 * It starts the sandbox, keeps its record and its log, lets clients start programs in it, and ends
 * with it. No daemon is needed: a client asks the monitor's own socket, and a list is read from the
 * records. A monitor that is killed takes its sandbox along (the kernel kills pid 1).
 *
 * Runs: the process that `run --detach` leaves behind. Needs: those of a cold run; then nothing.
 */
#ifndef GLOVEBOX_MONITOR_MONITOR_H
#define GLOVEBOX_MONITOR_MONITOR_H

#include "client/job.h"
#include "client/registry.h"
#include "monitor/record_keep.h"

struct monitor_parts {
	struct job *job;            /* opened; borrowed, as all of these */
	struct record_kept *record; /* made */
	struct registration *place; /* taken */
	const struct string_list *labels;
	int signals; /* descriptor of process_signals_of_run() */
	/* The program has been executed: the caller that waits may go. Called once. */
	void (*started)(void *context);
	void *context;
};

/*
 * monitor_run - start the sandbox and watch it to its end. Returns once its record says how it
 * ended, or is removed as the spec wants.
 *
 * Errors: ours, or the program could not be executed (ERR_NOT_FOUND, ERR_DENIED); if that was
 * before `started`, its record is removed.
 */
int monitor_run(const struct monitor_parts *parts, struct err *e);

#endif
