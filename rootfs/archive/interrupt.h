/*
 * interrupt - turn SIGINT, SIGTERM and SIGHUP into a flag that long loops check.
 *
 * The handlers are set without SA_RESTART: a blocking read ends with EINTR, its caller sees the
 * flag and returns an error, and the ordinary error path cleans up. The flag is the one mutable
 * global of this program.
 */
#ifndef GLOVEBOX_ROOTFS_ARCHIVE_INTERRUPT_H
#define GLOVEBOX_ROOTFS_ARCHIVE_INTERRUPT_H

#include <stdbool.h>

#include "base/err.h"

#define INTERRUPT_LOOK_MS 200

void interrupt_setup(void);
int interrupt_signal(void); /* the signal that came; 0: none */

/* -1 with *e once a signal came. */
int interrupt_check(struct err *e);

/*
 * Wait until a descriptor is readable or ends, a signal comes, or INTERRUPT_LOOK_MS have passed: a
 * signal may come between a check of the flag and this wait, so a longer wait must check again.
 * True: it is readable.
 */
bool interrupt_await(int fd);

/* In a child, between fork and exec: handlers back to their defaults. */
void interrupt_reset(void);

#endif
