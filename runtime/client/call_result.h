/*
 * call_result - the result of a call: typed, and as JSON.
 *
 * The interpreter shares its process with foreign code: its answer is hostile JSON of any shape
 * (rootfs/guest/units.py says what an honest one contains).
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_CALL_RESULT_H
#define GLOVEBOX_CLIENT_CALL_RESULT_H

#include "base/buf.h"
#include "base/json.h"
#include "client/display_marks.h"
#include "client/session.h"
#include "spec/egress_summary.h"

enum call_verdict {
	CALL_OK,        /* the code ran to its end */
	CALL_ERROR,     /* an exception ended it */
	CALL_EXIT,      /* sys.exit(): `exit_code` */
	CALL_TIMEOUT,   /* session_call.timeout_ms */
	CALL_MEMORY,    /* the session's memory limit; it is lost */
	CALL_CRASHED,   /* the interpreter ended by itself; the session is lost */
	CALL_CANCELLED, /* a signal interrupted it */
};

/* The network of a session, since its beginning. */
struct call_network {
	bool is_lost; /* the process that served it has ended */
	struct egress_summary egress;
};

struct call_result {
	enum call_verdict verdict;
	int exit_code;   /* 0, 1, the argument of sys.exit(); 124, 130; 137 or as a shell reports it
			  */
	bool in_sockets; /* CALL_MEMORY: by the number of its sockets */
	const char *value;   /* text of the last expression; NULL: it has none */
	bool has_traceback;  /* an exception ended it, that of an interrupt too */
	bool is_cut;         /* by the interpreter, to what its request allows */
	struct json *answer; /* the whole answer, with its figures; NULL: the session is lost */
	struct buf text;     /* what its strings are in */
};

/*
 * call_result_read - read the result after session_ask().
 *
 * @session  not closed yet: if the call has lost it, it tells how the cell ended.
 * @call     its answer is the result's from now on. An answer may have 192 MiB: it is not copied.
 * @out      end with call_result_fini().
 */
void call_result_read(const struct session *session, struct session_call *call,
		      struct call_result *out);

/* Read an answer alone. @answer  strict JSON; the result's from now on, and empty. */
void call_result_of_answer(struct buf *answer, struct call_result *out);

/* Takes a part of a text, which ends with a NUL. */
typedef void call_result_taker(void *context, const char *text);

/* The display behind `before` (NULL: the first): a bundle, or anything else. NULL: none. */
const struct json *call_result_next_display(const struct call_result *r, const struct json *before);

/* The text of one of them; NULL: it has none. */
const char *call_result_display_text(const struct json *display);

/* The texts of all of them, each with a newline. */
void call_result_displays(const struct call_result *r, call_result_taker *take, void *context);

/* Append the text that was printed, with the texts of displays in their places. */
void call_result_output(const struct call_result *r, const struct display_places *places,
			struct buf *out);

/* The traceback, with its last newline: parts of it one after the other. */
void call_result_traceback(const struct call_result *r, call_result_taker *take, void *context);

/* A taker that adds to a struct buf. */
void call_result_add(void *buf, const char *text);

/* Free what a result owns. */
void call_result_fini(struct call_result *r);

/*
 * call_result_write - write a call as one line of JSON: {"duration_ms", "timed_out", "interrupted",
 * "truncated", "stdout", "stderr", "displays_at", "egress", "lost", "result": the interpreter's
 * answer}.
 *
 * @call     its output was collected in buffers.
 * @places   of its displays.
 * @network  what became of the session's connections; NULL: it has no network, or nobody asks.
 * @lost     why there is no answer; NULL: there is one.
 * Returns 0, or -1 with errno. Neither the answer nor the output is copied.
 */
int call_result_write(int fd, struct session_call *call, const struct display_places *places,
		      const struct call_network *network, const char *lost);

#endif
