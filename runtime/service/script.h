/*
 * script - one program of Python in a fresh warm cell: from its source to its verdict.
 *
 * What it gets goes down one pipe, its standard input: its files and its source, which
 * rootfs/guest/execute.py (compiled in, and known to the nursery, which has its code ready) reads
 * and writes into /workspace before anything else runs, and then what the caller wants it to read.
 * So nothing of ours reaches into the sandbox, and no process is made for it. What it leaves in
 * /workspace is collected when it has ended, by a child that lives no longer (client/collect.h),
 * and only if there is something.
 *
 * Runs: serve, mcp. Needs: nothing beyond what asking a supervisor for a cell needs.
 */
#ifndef GLOVEBOX_SERVICE_SCRIPT_H
#define GLOVEBOX_SERVICE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sink.h"
#include "client/collect.h"
#include "client/hub.h"
#include "spec/spec.h"
#include "spec/verdict.h"

#define SCRIPT_ROOM_US 5000

/* A file for /workspace, relative, of directories and a name, without "..". */
struct script_file {
	const char *path;
	int fd; /* borrowed; read from its beginning, whatever its offset */
	uint64_t size_bytes;
};

struct script_request {
	const char *where;                /* the supervisor (wire/runtime_dir.h) */
	const char *image;                /* canonical */
	const struct sandbox_spec *terms; /* what was asked for by settings: limits and such; the
					     spec is copied from it as settings, not as a plan */
	const char *source;
	size_t source_length;
	bool shows_last;   /* the value of a last expression is printed, as at a prompt */
	const char *input; /* for the program to read; NULL: its standard input has ended */
	size_t input_length;
	const struct script_file *files;
	size_t file_count;
	struct sink out[2]; /* standard output and error; called in steps */
	int collect_fd;     /* borrowed: directory for what it leaves; -1: that is forgotten */
	void (*begun)(void *context); /* it has a cell, and runs; NULL */
	/*
	 * It has left files, whose copies take `most` bytes at most: how many may they take? False:
	 * not now, ask again in SCRIPT_ROOM_US. NULL: all of them.
	 */
	bool (*make_room)(void *context, uint64_t most, uint64_t *room);
};

struct script_result {
	bool failed; /* for a reason of ours: `error`; it may not have run at all */
	struct err error;
	struct verdict verdict;
	struct collected collected;
};

struct script;

/*
 * script_start - begin; nothing has been asked yet.
 *
 * @request  borrowed until `done`, with everything in it.
 * @done     called once, in a turn of the hub, with the result filled in; not if it is freed
 * before.
 * @result   outlives it; end it with script_result_fini().
 * Errors: ERR_UNSUPPORTED, ERR_NOT_FOUND: no cell can be had; the limits do not fit.
 */
int script_start(struct hub *hub, const struct script_request *request,
		 struct script_result *result, void (*done)(void *context), void *context,
		 struct script **out, struct err *e);

/* End it now: VERDICT_CANCELLED, or an error if it has no cell yet. `done` is still called. */
void script_cancel(struct script *p);

/* Free it: after `done`, or earlier, which ends it and waits for its end. Safe on NULL. */
void script_free(struct script *p);

/* script_result_fini - free what is in a result. */
void script_result_fini(struct script_result *r);

#endif
