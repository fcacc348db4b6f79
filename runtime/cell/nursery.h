/*
 * nursery - the warm Python of one image, and the calls to it (inside/cell.h).
 *
 * It is a sandbox: started, limited and watched like one, with its own root in
 * which the guest's files are mounted. What it says is checked all the same.
 *
 * Runs: the warm supervisor.
 */
#ifndef GLOVEBOX_CELL_NURSERY_H
#define GLOVEBOX_CELL_NURSERY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "cell/endings.h"
#include "host/idblock.h"
#include "host/sandbox.h"
#include "inside/cell.h"

/* Where a nursery has the guest's files: below a tmpfs, so that no image needs a mount point. */
#define NURSERY_GUEST "/tmp/.glovebox"

struct nursery_options {
	const char *image;     /* canonical */
	const char *preload;   /* "numpy,pandas"; NULL: what the image's recipe says */
	const char *guest_dir; /* absolute: cell.so, cell-init, *.py */
	bool trust_image;      /* the caller vouches for an image that was not built here */
};

enum nursery_state { NURSERY_NONE, NURSERY_STARTING, NURSERY_READY };

struct nursery {
	enum nursery_state state;
	struct sandbox_spec spec;
	struct sandbox sandbox;
	struct child child;
	int calls;           /* owned; our end */
	struct buf key;      /* warm_key() of every cell of it */
	struct buf said;     /* the last of its stdout and stderr, for messages */
	char version[32];    /* of Python */
	uint64_t started_us; /* monotonic */
};

/*
 * nursery_start - begin; it is ready when nursery_receive() says so.
 * @ids      for its cells; borrowed.
 * @endings  takes what was begun, on error: it may still be ending.
 * Errors: as sandbox_open(), sandbox_plan() and sandbox_start(); ERR_INPUT for an image that
 * nobody vouches for.
 */
int nursery_start(const struct nursery_options *options, const struct idblock *ids,
		  struct endings *endings, struct nursery *out, struct err *e);

/* Kill it, and with it every cell in its pid namespace; @endings has it then. Safe when called
 * twice. */
void nursery_stop(struct nursery *n, struct endings *endings);

/*
 * nursery_call - have a cell made.
 * @fds  in the order that struct cell_call asks for; borrowed.
 */
int nursery_call(struct nursery *n, const struct cell_call *call, const int *fds, unsigned fd_count,
		 struct err *e);

enum nursery_event {
	NURSERY_QUIET, /* nothing more to read */
	NURSERY_IS_READY,
	NURSERY_FAILED, /* *e says why: it is to be stopped */
};

/* Its Python has ended, whether we have been told or not; its cells end next. */
bool nursery_has_hung_up(const struct nursery *n);

/* One message from `calls`, which is non-blocking. */
enum nursery_event nursery_receive(struct nursery *n, struct err *e);

/* Read what it prints, and what its pid 1 reports. -1: it has ended or failed; *e says why. */
int nursery_attend(struct nursery *n, struct err *e);

#endif
