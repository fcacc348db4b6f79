/*
 * caller - a process with everything that a program must not inherit, which executes `glovebox
 * run`.
 *
 * It has a priority and a scheduling policy of its own, a umask of 0, no address randomisation,
 * ignored and blocked signals, open descriptors without close-on-exec, files as streams, a
 * terminal, a key, core dumps, a secret variable and a secret file in its directory. A listener on
 * the host's loopback and an abstract socket surround it.
 *
 * Runs: `glovebox selftest`. Needs: nothing; writes into a temporary directory of its own.
 */
#ifndef GLOVEBOX_SELFTEST_CALLER_H
#define GLOVEBOX_SELFTEST_CALLER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"
#include "selftest/scratch.h"

#define CALLER_NAME "selftest-box" /* the sandbox's host name */

struct caller {
	char self[PATH_MAX];
	char probe[PATH_MAX]; /* the program to run inside */
	struct scratch scratch;
	const char *dir;   /* its path */
	char run_dir[104]; /* of a warm supervisor */
	char token[40];    /* in every process's arguments; names the socket and the key */
	int listener;
	int named;
	unsigned port;
	bool warm;     /* the supervisor of caller_warm_start() serves the runs */
	unsigned runs; /* runs so far: each has written its id to the file `dir`/id.N */
};

struct caller_run {
	pid_t pid;
	int pidfd;
	int out; /* files in memory */
	int messages;
};

/*
 * caller_open - prepare the things that sandboxes must not reach.
 * Errors: ERR_INPUT: the probe is not beside our program; else ERR_SYSTEM. End with caller_close()
 * in any case.
 */
int caller_open(struct caller *c, struct err *e);
void caller_close(struct caller *c);

/*
 * caller_start - run the probe in a sandbox.
 *
 * @image    of the sandbox.
 * @flags    of glovebox run, in addition to those of every run; later ones win.
 * @options  of the probe (probe/probe.h): "mode=check".
 * @out      end with caller_end().
 */
int caller_start(struct caller *c, const char *image, const struct list *flags,
		 const struct list *options, struct caller_run *out, struct err *e);

/*
 * caller_warm_start - start a warm supervisor of our own for that image, which serves the runs from
 * here on.
 *
 * @makes_none  out: it failed because that image's Python cannot make cells, or is not trusted to.
 * Errors: why it failed. End with caller_warm_stop() in any case.
 */
int caller_warm_start(struct caller *c, const char *image, bool *makes_none, struct err *e);
void caller_warm_stop(struct caller *c);

/* Wait for its end. Returns the exit status, or 128 and a signal's number; -1: not within @ms. */
int caller_wait(struct caller_run *r, unsigned ms);

/* Read all that arrived on one of its streams. */
void caller_read(int fd, struct buf *out);

/* Kill it if it is still running. */
void caller_end(struct caller_run *r);

#endif
