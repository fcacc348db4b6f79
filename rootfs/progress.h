/*
 * progress - what a build shows while it works.
 *
 * At a terminal that is one line, which the next one replaces; with --verbose everything that the
 * steps print; in a pipe nothing. What a step has printed is shown when it fails.
 *
 * Runs: glovebox-image, and the processes that it forks.
 */
#ifndef GLOVEBOX_ROOTFS_PROGRESS_H
#define GLOVEBOX_ROOTFS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

void progress_set_verbose(bool verbose);
bool progress_is_verbose(void);

/* A line of ours, unless nobody looks. */
void progress_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Replace the line at the terminal: the step, and the last line of what it printed, which is
 * printable ASCII. Draws ten times a second at most.
 */
void progress_draw(const char *step, const char *bytes, size_t length);
void progress_clear(void);

#endif
