/*
 * chamber_log - show what a chamber prints, without terminal control sequences.
 *
 * Foreign programs get a pipe instead of the caller's terminal: they can neither read what is typed
 * there nor change it. A process of ours copies lines to stderr, only printable ASCII.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_LOG_H
#define GLOVEBOX_ROOTFS_CHAMBER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct chamber_log {
	pid_t pid;
	int fd; /* for the chamber; owned by the caller */
};

int chamber_log_start(struct chamber_log *out, struct err *e);

/* Wait until the rest has been shown, unless it is abandoned or a signal comes. */
void chamber_log_finish(pid_t pid, bool abandon);

/* Replace everything else in place. Pure. */
void chamber_log_defuse(char *bytes, size_t length);

#endif
