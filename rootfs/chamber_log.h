/*
 * chamber_log - show what a chamber prints, without terminal control sequences.
 *
 * Foreign programs get a pipe instead of the caller's terminal: they can neither read what is typed
 * there nor change it. A process of ours reads it, and copies it to stderr with --verbose, only
 * printable ASCII. Otherwise it draws the line of progress, and keeps the end for a failure.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_LOG_H
#define GLOVEBOX_ROOTFS_CHAMBER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct chamber_log {
	pid_t pid;
	int fd;      /* for the chamber; owned by the caller */
	int kept_fd; /* what was kept, once the process has ended; -1: everything was shown */
};

/* @step  its name, for the line of progress */
int chamber_log_start(const char *step, struct chamber_log *out, struct err *e);

/* Wait until the rest has been read, unless it is abandoned or a signal comes. */
void chamber_log_finish(pid_t pid, bool abandon);

/* Show what was kept; takes kept_fd. */
void chamber_log_show(int *kept_fd);

/* Replace everything else in place. Pure. */
void chamber_log_defuse(char *bytes, size_t length);

#endif
