/*
 * fetched - an image of a registry as a docker save archive, by skopeo(1), a program of the host's.
 *
 * skopeo compares everything with the digests of the manifest, chooses this machine's architecture,
 * and reads its own files for credentials and mirrors. What it writes is as foreign as any archive.
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
	pid_t log_pid;         /* shows what it says (chamber_log.h); 0: none */
	int fd;                /* the archive comes here; owned */
};

/* Start it with these two; what it says goes to stderr. End with fetched_end(). */
int fetched_start(struct fetched *f, struct err *e);

/*
 * At the end of the archive: was it whole? It may look so and not be. ERR_NOT_FOUND: no skopeo
 * here; ERR_INPUT: skopeo has said why.
 */
int fetched_check(struct fetched *f, struct err *e);

/* Kill and reap what is left. */
void fetched_end(struct fetched *f);

#define auto_fetched __attribute__((cleanup(fetched_end)))

#endif
