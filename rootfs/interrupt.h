/*
 * interrupt - SIGINT, SIGTERM and SIGHUP as a flag that long loops check.
 *
 * The handlers are set without SA_RESTART: a blocking read ends with EINTR, its caller sees the
 * flag and returns an error, and the ordinary error path cleans up. The one mutable global of this
 * program.
 */
#ifndef GLOVEBOX_ROOTFS_INTERRUPT_H
#define GLOVEBOX_ROOTFS_INTERRUPT_H

#include "base/err.h"

void interrupt_setup(void);
int interrupt_signal(void); /* the signal that came, or 0 */

/* -1 with *e once a signal came. */
int interrupt_check(struct err *e);

/* In a child, between fork and exec: handlers back to their defaults. */
void interrupt_reset(void);

#endif
