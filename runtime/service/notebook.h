/*
 * notebook - what can be done with sessions, as operations on a hub: the one driver of them.
 *
 * A session has a name and lives in the supervisor: it survives a restart of this process, and the
 * supervisor enforces its time to live. Each operation borrows the session and returns it before
 * `done`; an operation on a borrowed session waits for its turn, SESSION_WAIT_MS at most. Names are
 * not guarded: the caller decides which client may use which. A session of this process's own
 * (`own`) has no name, is not borrowed, and ends with the process.
 *
 * A process that waits for one operation uses service/notebook_wait.h.
 *
 *   begin        a warm cell; files are put into its /workspace; the supervisor keeps it
 *   ask          one request to its interpreter, as rootfs/guest/session.py reads it
 *   run          one source of Python
 *   bash         one command line of a shell, beside the interpreter (service/bash.py)
 *   checkpoint, rollback
 *   put, get, list, archive, delete, make, rename
 *                files in its /workspace, also while it is frozen; or anywhere
 *   drop         end the session
 *   life         read and set how long it lives
 *   sessions     list those that live, or look for the one of a name
 *
 * Runs: client, serve, mcp. Needs: nothing beyond what asking a supervisor for a cell needs.
 */
#ifndef GLOVEBOX_SERVICE_NOTEBOOK_H
#define GLOVEBOX_SERVICE_NOTEBOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sink.h"
#include "client/client.h"
#include "client/hub.h"
#include "service/script.h"
#include "session/call_result.h"
#include "spec/spec.h"
#include "workspace/files.h"

enum notebook_action {
	NOTEBOOK_BEGIN,
	NOTEBOOK_ASK,
	NOTEBOOK_RUN,
	NOTEBOOK_BASH,
	NOTEBOOK_CHECKPOINT,
	NOTEBOOK_ROLLBACK,
	NOTEBOOK_FILES,
	NOTEBOOK_FREEZE, /* until the next call */
	NOTEBOOK_THAW,
	NOTEBOOK_DROP,
	NOTEBOOK_LIFE,
	NOTEBOOK_SESSIONS,
};

/* Whether it is one call of the interpreter. */
static inline bool notebook_is_call(enum notebook_action action)
{
	return action == NOTEBOOK_ASK || action == NOTEBOOK_RUN || action == NOTEBOOK_BASH;
}

struct places;

struct notebook_request {
	enum notebook_action action;
	const char *where; /* the supervisor (wire/runtime_dir.h) */
	const char *name;  /* of the session */
	/* A session of ours, which begin fills in and the others use; NULL: the one of `name`. */
	struct session *own;

	struct {
		const struct sandbox_spec *spec;  /* finished; NULL: made of the next three */
		struct buf *published;            /* gets client/network.h's lines; NULL */
		const char *image;                /* canonical */
		const struct sandbox_spec *terms; /* limits, as for a script; not those of time */
		const struct places *places;      /* directories of the user's; NULL: none */
		struct session_terms life;        /* idle_ms 0: no limit */
		const struct staged_file *files;
		size_t file_count;
	} begin;

	/*
	 * Ask, run and bash; of a checkpoint and a rollback timeout_ms (0: a minute), output_max
	 * (0: no output) and `out`. Past timeout_ms the code is interrupted, and the session goes
	 * on.
	 */
	struct {
		/* Or the command line; may contain any bytes but NUL. Ask: members of JSON. */
		const char *source;
		size_t length;
		const char *context; /* its name; NULL: the one that every session has */
		bool fresh;          /* the context begins anew, in `cwd` */
		const char *cwd;     /* NULL: where the session begins */
		const char *env;     /* JSON, an object of texts: set for this source; NULL */
		bool json;           /* run: a list or a dict as value is there as JSON, too */
		const char *formats; /* run: of figures, "png,svg"; NULL: they stay open */
		bool plain;          /* run: display() prints at once; see rootfs/guest/units.py */
		/* Ask: descriptors to send along, so many (exchange.h); taken over; NULL. */
		int *handed;
		unsigned handed_count;
		bool raw;            /* leave the answer as it came, in call.answer */
		bool spares;         /* let uninterruptible code continue: `call.left` */
		bool follows;        /* code was left in a session of ours: interrupt that first */
		bool persists;       /* interrupts may be ignored; each one is sent */
		bool at_once;        /* ERR_BUSY while another client has the session */
		uint64_t timeout_ms; /* from the start of the code; SPEC_UNLIMITED */
		uint64_t output_max; /* bytes of each stream; the rest is dropped */
		/*
		 * Bytes of the answer. The interpreter cuts its own and reports that; a larger
		 * answer can come only from foreign code, and ends the session.
		 */
		size_t answer_max;
		struct sink out[2]; /* standard output and error; called in steps */
		/*
		 * The session is borrowed, its use begins; and, of ask, run and bash, its answer is
		 * there, and the session is still borrowed. They take the context of `done`; NULL.
		 */
		void (*begun)(void *context);
		void (*answered)(void *context);
	} call;

	bool usage;             /* sessions: with what they use (struct sessions_request) */
	const char *checkpoint; /* checkpoint, rollback: its name */
	bool force;             /* rollback: also if that ends threads for good */

	struct {
		uint64_t ttl_ms;  /* from now on; 0: unchanged */
		uint64_t most_ms; /* of the session's whole life; SPEC_UNLIMITED */
	} life;

	struct {
		enum files_action action;
		const char *path;   /* relative to /workspace (workspace/files_path.h) */
		const char *to;     /* rename */
		uint32_t max_depth; /* list; 0: that of files_rules_init() */
		bool itself;        /* list: what has the path, not what is in it */
		/*
		 * Paths are absolute, and the session is not borrowed: also while its interpreter
		 * is busy. ERR_BUSY: it is frozen.
		 */
		bool anywhere;
		int content_fd;     /* borrowed; put: read from its offset; get: written; else -1 */
		uint64_t max_bytes; /* of one file; 0: that of files_rules_init() */
		bool is_cut;        /* put: that many, and what follows is another's */
		mode_t mode;        /* put: of the file; 0: 0644 */
		uint64_t max_written; /* to content_fd, a file; 0: no bound */
	} files;
};

struct notebook_result {
	/*
	 * The operation was not done; `error` says why. ERR_NOT_FOUND, ERR_GONE: the session never
	 * was, or has ended; ERR_BUSY: other operations have it; ERR_INPUT: a name, the path, a
	 * bound. If a call has lost the session, `call.lost` is set as well, and `outcome` says
	 * how.
	 */
	bool failed;
	bool cancelled; /* by notebook_cancel(), before it was done */
	struct err error;

	/* The session was borrowed: ERR_NOT_FOUND then means a file in it. */
	bool was_there;
	bool has_network; /* glovebox-egress serves it */

	/* Run, bash. Without an answer (failed, and not lost) `outcome` is empty. */
	struct session_call call;   /* duration_us, timed_out, interrupted, truncated, lost, why,
				     * answer */
	struct call_result outcome; /* of bash only the verdict and exit_code, which is the shell's
				     */

	struct files_result files; /* got, listed, json */

	struct cgroup_memory memory; /* freeze */

	/* Life. ERR_LIMIT: the requested life exceeds `most_ms`. */
	struct {
		uint64_t age_ms;
		uint64_t ttl_ms; /* of its whole life; 0: no limit */
	} life;

	/* Sessions; owned, with their names. */
	struct session_entry *sessions;
	size_t session_count;
};

struct notebook;

/*
 * notebook_start - begin an operation; its first question is asked in a later turn of the hub.
 *
 * @request  copied; what it points to is borrowed until `done`.
 * @result   outlives the operation; end it with notebook_result_fini().
 * @done     called once, in a turn of the hub, with the result filled in; not called if the
 *           operation is freed before. The owner frees the operation, there or later.
 * Errors: ERR_INPUT: a name or a format; ERR_UNSUPPORTED: cells cannot host such a session;
 * ERR_SYSTEM.
 */
int notebook_start(struct hub *hub, const struct notebook_request *request,
		   struct notebook_result *result, void (*done)(void *context), void *context,
		   struct notebook **out, struct err *e);

/*
 * notebook_cancel - the caller withdraws the operation; `done` is still called, soon.
 * A queued operation is dropped. A running call is interrupted, and the session goes on; a second
 * cancel, or a call that does not stop within 2 s, ends the session. A checkpoint or rollback is
 * completed; a second cancel ends the session. A session that has not begun does not begin.
 */
void notebook_cancel(struct notebook *n);

/*
 * notebook_interrupt - interrupt the running call (idempotent); `done` still follows. A call that
 * does not stop within 2 s is lost with its session. Returns whether a call is running.
 */
bool notebook_interrupt(struct notebook *n);

/* The same for a caller that leaves: code that does not stop goes on (call.left). */
bool notebook_leave(struct notebook *n);

/* Whether the operation has not got its session yet, and asks the supervisor for it. */
bool notebook_is_waiting(const struct notebook *n);

/*
 * notebook_free - free the operation, after `done` or earlier. Earlier abandons it: the session
 * that it has borrowed may be lost. Safe on NULL.
 */
void notebook_free(struct notebook *n);

/* notebook_result_fini - free what is in a result. */
void notebook_result_fini(struct notebook_result *r);

#endif
