/*
 * script - run one Python program in a fresh warm cell: from its source to its verdict.
 *
 * Its files, its source and the input of the program go down one pipe, its standard input.
 * rootfs/guest/execute.py (compiled in, and preloaded by the nursery) writes files and source to
 * its workspace before anything else runs. So the host neither reaches into the sandbox nor starts
 * a process for it. If the program leaves files in /workspace, a short-lived child collects them
 * after its end (workspace/collect.h).
 *
 * Runs: serve, mcp. Needs: nothing beyond what asking a supervisor for a cell needs.
 */
#ifndef GLOVEBOX_SERVICE_SCRIPT_H
#define GLOVEBOX_SERVICE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/list.h"
#include "base/sink.h"
#include "client/hub.h"
#include "spec/spec.h"
#include "spec/verdict.h"
#include "workspace/collect.h"

#define SCRIPT_ROOM_US 5000

struct script_request {
	const char *where; /* the supervisor (wire/runtime_dir.h) */
	const char *image; /* canonical */
	/* the settings asked for; copied by spec_copy_limits(), without a plan */
	const struct sandbox_spec *terms;
	const char *place; /* of its workspace, absolute; NULL: /workspace */
	const char *source;
	size_t source_length;
	const struct list *args; /* of the program, behind its name; NULL: none */
	bool shows_last;         /* print the value of a last expression, as a prompt does */
	const char *input;       /* input of the program; NULL: its standard input is at its end */
	size_t input_length;
	const struct staged_file *files;
	size_t file_count;
	struct sink out[2]; /* standard output and error; called in steps */
	/* borrowed: directory for the files that it leaves; -1: they are discarded */
	int collect_fd;
	void (*begun)(void *context); /* the program has a cell, and runs; NULL */
	/*
	 * The program has left files, whose copies take at most `most` bytes: set how many they may
	 * take. False: no room now; asked again every SCRIPT_ROOM_US. NULL: no bound.
	 */
	bool (*make_room)(void *context, uint64_t most, uint64_t *room);
};

struct script_result {
	bool failed; /* by a fault of the host, see `error`; the program may not have run */
	struct err error;
	struct verdict verdict;
	struct collected collected;
};

struct script;

/*
 * script_start - begin; the supervisor is asked in a later turn of the hub.
 *
 * @request  borrowed until `done`, with everything in it.
 * @done     called once, in a turn of the hub, with the result filled in; not called if the
 *           script is freed before.
 * @result   outlives the script; end it with script_result_fini().
 * Errors: ERR_UNSUPPORTED, ERR_NOT_FOUND: cells cannot be had here; the limits do not fit.
 */
int script_start(struct hub *hub, const struct script_request *request,
		 struct script_result *result, void (*done)(void *context), void *context,
		 struct script **out, struct err *e);

/* Cancel: VERDICT_CANCELLED, or an error if the script has no cell yet. `done` still follows. */
void script_cancel(struct script *p);

/* Free it, after `done` or earlier; earlier kills the program and waits for it. Safe on NULL. */
void script_free(struct script *p);

/* script_result_fini - free what is in a result. */
void script_result_fini(struct script_result *r);

#endif
