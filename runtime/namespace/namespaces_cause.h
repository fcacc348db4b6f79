/*
 * namespaces_cause - find the cause of a refusal, with its remedy: the table of namespaces.h.
 *
 * Runs: monitor, supervisor, glovebox-image. Needs: nothing.
 */
#ifndef GLOVEBOX_NAMESPACE_NAMESPACES_CAUSE_H
#define GLOVEBOX_NAMESPACE_NAMESPACES_CAUSE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

struct refusal {
	uint64_t kinds;
	int number; /* errno */
};

/*
 * namespaces_cause_find - write the first true cause and its remedy; false: none is true, and the
 * errno has its usual meaning.
 */
bool namespaces_cause_find(const struct refusal *r, struct buf *out);

/* Two of the causes: a sandbox of ours around us, and a system call filter. */
bool namespaces_cause_is_in_sandbox(const struct refusal *r, struct buf *out);
bool namespaces_cause_is_filter(const struct refusal *r, struct buf *out);

/*
 * namespaces_quiet_fork - like fork(), in new namespaces, but without an exit signal, so that no
 * SIGCHLD handler runs.
 */
pid_t namespaces_quiet_fork(uint64_t flags);

/* Wait for such a child: its exit status, or 0 if a signal ended it. */
int namespaces_quiet_wait(pid_t pid);

#endif
