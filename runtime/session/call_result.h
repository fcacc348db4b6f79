/*
 * call_result - read the result of a call, and write it as JSON.
 *
 * The interpreter shares its process with hostile code: its answer is JSON of any shape
 * (rootfs/guest/units.py describes an honest one).
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_SESSION_CALL_RESULT_H
#define GLOVEBOX_SESSION_CALL_RESULT_H

#include "base/buf.h"
#include "base/code_verdict.h"
#include "base/json.h"
#include "netpolicy/egress_summary.h"
#include "session/call.h"
#include "session/display_marks.h"

/* The counters of a session's network, since its start. */
struct call_network {
	bool is_lost; /* glovebox-egress has ended */
	struct egress_summary egress;
};

struct call_result {
	enum code_verdict verdict;
	int exit_code;       /* 0, 1, the argument of sys.exit(); 124, 130; 137, or a signal's */
	bool in_sockets;     /* CODE_MEMORY: too many sockets */
	const char *value;   /* text of the last expression; NULL: none */
	bool has_traceback;  /* an exception ended it, also that of an interrupt */
	bool is_cut;         /* the interpreter cut it to the request's limits */
	struct json *answer; /* the whole answer, with its figures; NULL: the session is lost */
	struct buf text;     /* owns the strings */
};

/*
 * call_result_read - read the result of a call that is over.
 *
 * @session  not closed yet: a lost one tells how the cell ended.
 * @call     its answer moves to the result. It may have 192 MiB, so it is not copied.
 * @out      end with call_result_fini().
 */
void call_result_read(const struct session *session, struct session_call *call,
		      struct call_result *out);

/* Read an answer alone. @answer: strict JSON; moves to the result. */
void call_result_of_answer(struct buf *answer, struct call_result *out);

/* Receives a part of a text, ending with a NUL. */
typedef void call_result_taker(void *context, const char *text);

/* The display after `before` (NULL: the first): a bundle, or any JSON value. NULL: the end. */
const struct json *call_result_next_display(const struct call_result *r, const struct json *before);

/* The text of a display; NULL: it has none. */
const char *call_result_display_text(const struct json *display);

/* Pass on the texts of all displays, each with a newline. */
void call_result_displays(const struct call_result *r, call_result_taker *take, void *context);

/* Append the printed text, with the texts of displays at their places. */
void call_result_output(const struct call_result *r, const struct display_places *places,
			struct buf *out);

/* Pass on the traceback with its last newline, in parts. */
void call_result_traceback(const struct call_result *r, call_result_taker *take, void *context);

/* A taker that appends to a struct buf. */
void call_result_add(void *buf, const char *text);

/* Free what a result owns. */
void call_result_fini(struct call_result *r);

/*
 * call_result_write - write a call as one line of JSON: {"duration_ms", "timed_out", "interrupted",
 * "truncated", "stdout", "stderr", "displays_at", "egress", "lost", "result": the interpreter's
 * answer}.
 *
 * @call     its output is in buffers.
 * @places   of its displays.
 * @network  counters of the session's connections; NULL: no network, or not wanted.
 * @lost     why the answer is missing; NULL: it is not.
 * Returns 0, or -1 with errno. Neither the answer nor the output is copied.
 */
int call_result_write(int fd, struct session_call *call, const struct display_places *places,
		      const struct call_network *network, const char *lost);

#endif
