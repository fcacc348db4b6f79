/*
 * progress - show the progress of a build.
 *
 * Each step has a line. Below it a terminal shows the last line of the step's output; --verbose
 * shows all of it, and the output of a failed step is always shown.
 *
 * Runs: glovebox-image, and the processes that it forks.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_PROGRESS_H
#define GLOVEBOX_ROOTFS_CHAMBER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

void progress_set_verbose(bool verbose);
bool progress_is_verbose(void);

/* Print a line of ours on stderr, unless the caller wants the name of the image alone. */
void progress_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_set_quiet(bool quiet);
bool progress_is_quiet(void);

/*
 * Replace the terminal's line by the step and the last line of its output, which is printable
 * ASCII. Draws at most ten times a second.
 */
void progress_draw(const char *step, const char *bytes, size_t length);
void progress_clear(void);

#endif
