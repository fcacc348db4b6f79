/*
 * progress - show the progress of a build.
 *
 * A terminal shows one line, which the next one replaces; with --verbose all output of the steps; a
 * pipe shows the steps of a Dockerfile, and nothing else. The output of a failed step is always
 * shown.
 *
 * Runs: glovebox-image, and the processes that it forks.
 */
#ifndef GLOVEBOX_ROOTFS_PROGRESS_H
#define GLOVEBOX_ROOTFS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

void progress_set_verbose(bool verbose);
bool progress_is_verbose(void);

/* Print a line of ours, unless output is off. */
void progress_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same into a pipe, too, unless the caller wants the name of the image alone. */
void progress_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_set_quiet(bool quiet);

/*
 * Replace the terminal's line by the step and the last line of its output, which is printable
 * ASCII. Draws at most ten times a second.
 */
void progress_draw(const char *step, const char *bytes, size_t length);
void progress_clear(void);

#endif
