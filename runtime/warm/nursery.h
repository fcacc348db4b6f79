/*
 * nursery - the warm Python of one image, and the calls to it (inside/cell.h).
 *
 * It is a sandbox: started, limited and watched like one, with its own root in which the guest's
 * files are mounted. Its messages are checked all the same.
 *
 * Runs: supervisor. Needs: what a cold start needs.
 */
#ifndef GLOVEBOX_WARM_NURSERY_H
#define GLOVEBOX_WARM_NURSERY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "host/endings.h"
#include "host/idblock.h"
#include "host/sandbox.h"
#include "inside/cell.h"

/* The guest's files in a nursery: below a tmpfs, so that no image needs a mount point. */
#define NURSERY_GUEST "/tmp/.glovebox"

struct nursery_options {
	const char *image;     /* canonical */
	const char *preload;   /* "numpy,pandas"; NULL: from the image's recipe */
	const char *guest_dir; /* of guest_find() */
	bool trust_image;      /* the caller vouches for an image that was not built here */
};

/* A longer text about preloads that were left out is cut. */
#define NURSERY_LEFT_OUT_SIZE 1024

enum nursery_state { NURSERY_NONE, NURSERY_STARTING, NURSERY_READY };

struct nursery {
	enum nursery_state state;
	struct sandbox_spec spec;
	struct sandbox sandbox;
	struct child child;
	int calls;                            /* owned; our end */
	struct buf key;                       /* warm_key() of all its cells */
	struct buf said;                      /* the end of its stdout and stderr, for messages */
	char version[32];                     /* of Python */
	char left_out[NURSERY_LEFT_OUT_SIZE]; /* "MODULE: why", a line each; or empty */
	bool makes_none;                      /* cells: its Python cannot, or is not trusted to */
	char cold[200];                       /* why its Python cannot make cells; or empty */
	uint64_t started_us;                  /* monotonic */
};

/*
 * nursery_start - begin; it is ready when nursery_receive() says so.
 * @ids      for its cells; borrowed.
 * @endings  takes what was begun, on error: it may still be ending.
 * @at_once  no lock is waited for: ERR_BUSY, if another holds it.
 * Errors: as sandbox_open(), sandbox_plan() and sandbox_start(); ERR_INPUT for an imported image
 * that is not trusted.
 */
int nursery_start(const struct nursery_options *options, const struct idblock *ids,
		  struct endings *endings, bool at_once, struct nursery *out, struct err *e);

/*
 * nursery_look - have a child look at all files that nursery_start() will look at.
 *
 * A file system may not answer, and then whoever looks waits for ever. Once the child has ended, in
 * whatever way, they can be looked at, and nursery_start() says what is wrong with them.
 * @out  its pid and pidfd, owned. -1: there is no room for another process or descriptor.
 */
int nursery_look(const struct nursery_options *options, struct child *out);

/*
 * Kill it, and every cell in its pid namespace with it; @endings takes it over. Safe when called
 * twice.
 */
void nursery_stop(struct nursery *n, struct endings *endings);

/*
 * nursery_call - call for a cell.
 * @fds  in the order that struct cell_call asks for; borrowed.
 */
int nursery_call(struct nursery *n, const struct cell_call *call, const int *fds, unsigned fd_count,
		 struct err *e);

enum nursery_event {
	NURSERY_QUIET, /* nothing more to read */
	NURSERY_IS_READY,
	NURSERY_FAILED, /* *e says why: stop it */
};

/* Its Python has ended, even if no message said so yet; its cells end next. */
bool nursery_has_hung_up(const struct nursery *n);

/* Take one message from `calls`, which is non-blocking. */
enum nursery_event nursery_receive(struct nursery *n, struct err *e);

/*
 * nursery_say_left_out - a line on stderr for each preload that was left out, with the reason.
 * @left_out  of struct nursery; what it says is a stranger's.
 */
void nursery_say_left_out(const char *left_out);

/* Read its output, and the reports of its pid 1. -1: it has ended or failed; *e says why. */
int nursery_attend(struct nursery *n, struct err *e);

#endif
