/*
 * nursery - the warm Python of one image, and the calls to it (inside/cell.h).
 *
 * It is a sandbox: started, limited and watched like one, with the guest's files mounted in its own
 * root. We check its messages nevertheless.
 *
 * Runs: supervisor. Needs: what a cold start needs.
 */
#ifndef GLOVEBOX_WARM_NURSERY_H
#define GLOVEBOX_WARM_NURSERY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "inside/cell.h"
#include "namespace/idblock.h"
#include "sandbox/endings.h"
#include "sandbox/sandbox.h"

/* The guest's files in a nursery: below a tmpfs, so that images need no mount point. */
#define NURSERY_GUEST "/tmp/.glovebox"

struct nursery_options {
	const char *image;     /* canonical */
	const char *preload;   /* "numpy,pandas"; NULL: from the image's recipe */
	const char *guest_dir; /* of guest_find() */
	bool trust_image;      /* the caller vouches for an image that was not built here */
};

/* Longer texts about left-out preloads are cut. */
#define NURSERY_LEFT_OUT_SIZE 1024

enum nursery_state { NURSERY_NONE, NURSERY_STARTING, NURSERY_READY };

struct nursery {
	enum nursery_state state;
	struct sandbox_spec spec;
	struct sandbox sandbox;
	struct child child;
	int calls;        /* owned; our end */
	struct buf key;   /* warm_key() of all its cells */
	struct buf files; /* of the host's /etc that cells take from it; or empty */
	struct buf said;  /* the end of its stdout and stderr, for messages */
	char version[32]; /* of Python */
	char left_out[NURSERY_LEFT_OUT_SIZE]; /* "MODULE: why", a line each; or empty */
	bool makes_none;     /* its Python cannot make cells, or is not trusted to */
	char cold[200];      /* why its Python cannot make cells; or empty */
	uint64_t started_us; /* monotonic */
};

/*
 * nursery_start - start it; nursery_receive() tells when it is ready.
 * @ids      for its cells; borrowed.
 * @endings  on error, receives what was started and may still be ending.
 * Errors: those of sandbox_open(), sandbox_plan() and sandbox_start(); ERR_INPUT for an imported
 * image that is not trusted.
 */
int nursery_start(const struct nursery_options *options, const struct idblock *ids,
		  struct endings *endings, struct nursery *out, struct err *e);

/*
 * nursery_look - start a child that opens all files that nursery_start() will open.
 *
 * A file system may hang, and with it the process that opens a file. Once the child has exited,
 * with any status, the files can be opened, and nursery_start() reports errors.
 * @out  its pid and pidfd, owned. -1: out of processes or descriptors.
 */
int nursery_look(const struct nursery_options *options, struct child *out);

/* Kill it and all cells in its pid namespace; @endings takes it over. Safe when called twice. */
void nursery_stop(struct nursery *n, struct endings *endings);

/*
 * nursery_call - request a cell.
 * @fds  in the order of struct cell_call; borrowed.
 */
int nursery_call(struct nursery *n, const struct cell_call *call, const int *fds, unsigned fd_count,
		 struct err *e);

enum nursery_event {
	NURSERY_QUIET, /* nothing more to read */
	NURSERY_IS_READY,
	NURSERY_FAILED, /* *e says why: stop it */
};

/*
 * Whether the host has replaced a file that its cells mount from its own root, as an ordinary
 * user's do in the image "host": the kernel mounts no file without a name, so the client brings
 * them.
 */
bool nursery_is_outdated(const struct nursery *n);

/* Whether its Python has ended, even without a message; its cells end next. */
bool nursery_has_hung_up(const struct nursery *n);

/* Take one message from `calls`, which is non-blocking. */
enum nursery_event nursery_receive(struct nursery *n, struct err *e);

/*
 * nursery_say_left_out - print a line on stderr for each left-out preload, with the reason.
 * @left_out  of struct nursery; not trusted.
 */
void nursery_say_left_out(const char *left_out);

/* Read its output, and its pid 1's reports. -1: it has ended or failed; *e says why. */
int nursery_attend(struct nursery *n, struct err *e);

#endif
