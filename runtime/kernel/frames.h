/*
 * frames - a message as it travels: several frames of bytes.
 *
 * No side effects. Runs: kernel. Needs: nothing.
 */
#ifndef GLOVEBOX_KERNEL_FRAMES_H
#define GLOVEBOX_KERNEL_FRAMES_H

#include <stddef.h>

#include "base/buf.h"

#define FRAMES_MAX   64          /* of one message */
#define FRAMES_BYTES (64u << 20) /* of one part */

/* Zero-initialise it. */
struct frames {
	struct buf items[FRAMES_MAX];
	size_t count;
};

void frames_fini(struct frames *p);
#define auto_frames __attribute__((cleanup(frames_fini)))

/* Append a part; copied. Those beyond FRAMES_MAX are dropped. */
void frames_add(struct frames *p, const void *bytes, size_t length);

#endif
