/*
 * fetched - fetch an image from a registry as a docker save archive, by skopeo(1), a program of the
 * host.
 *
 * skopeo compares everything with the digests of the manifest, chooses this machine's architecture,
 * and reads its own files for credentials and mirrors. We do not trust its output more than any
 * archive.
 *
 * Runs: glovebox-image.  Needs: the network, with the caller's rights.
 */
#ifndef GLOVEBOX_ROOTFS_FETCHED_H
#define GLOVEBOX_ROOTFS_FETCHED_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct fetched {
	const char *reference; /* borrowed */
	bool quiet;            /* no progress */
	pid_t pid;             /* 0: none */
	pid_t log_pid;         /* prints its messages (chamber_log.h); 0: none */
	int fd;                /* receives the archive; owned */
};

/* Start it with these two set; its messages go to stderr. End with fetched_end(). */
int fetched_start(struct fetched *f, struct err *e);

/*
 * At the end of the archive: whether it was complete, which its bytes may not show. ERR_NOT_FOUND:
 * skopeo is not installed; ERR_INPUT: skopeo has printed why.
 */
int fetched_check(struct fetched *f, struct err *e);

/* Kill and reap the processes. */
void fetched_end(struct fetched *f);

#define auto_fetched __attribute__((cleanup(fetched_end)))

#endif
