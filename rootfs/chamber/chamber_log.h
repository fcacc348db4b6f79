/*
 * chamber_log - show a chamber's output, without terminal control sequences.
 *
 * Foreign programs get a pipe instead of the caller's terminal: they can neither read its input nor
 * change it. A process of ours reads the pipe, and with --verbose copies it to stderr, as printable
 * ASCII. Otherwise it draws the line of progress, and keeps the end of the output for a failure.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_CHAMBER_LOG_H
#define GLOVEBOX_ROOTFS_CHAMBER_CHAMBER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct chamber_log {
	pid_t pid;
	int fd;      /* for the chamber; owned by the caller */
	int kept_fd; /* the kept output, once the process has ended; -1: all was shown */
};

/* @step  its name, for the line of progress */
int chamber_log_start(const char *step, struct chamber_log *out, struct err *e);

/* Wait until the rest has been read, unless it is abandoned or a signal comes. */
void chamber_log_finish(pid_t pid, bool abandon);

/* Print the kept output; takes kept_fd. */
void chamber_log_show(int *kept_fd);

/* Replace all other bytes in place. Pure. */
void chamber_log_defuse(char *bytes, size_t length);

#endif
