/*
 * supplier - find or start the warm supervisor that gives a face its cells: the user's, or one of
 * the face's own.
 *
 * Theory of operation. The user's supervisor serves us if it runs and has our image. Otherwise we
 * start one, in a runtime directory that only we know:
 *
 *   face -- watchdog -- glovebox warm serve
 *
 * The watchdog waits for the end of a pipe that the face holds, however the face ends; then it ends
 * the supervisor, removes the directory and exits. If the watchdog itself is killed, the supervisor
 * gets SIGTERM as its parent-death signal. Both are in a session of their own, so that Ctrl-C does
 * not reach them.
 *
 * We make the listening socket and pass it on, as systemd would: connecting to it works at once,
 * and a request waits until a cell is ready.
 *
 * Faces that drive a hub replace a lost supervisor by client/resupply.h.
 *
 * Runs: client (agent, repl, serve, mcp), and the watchdog. Needs: what a cold start needs, for the
 * supervisor.
 */
#ifndef GLOVEBOX_CLIENT_SUPPLIER_H
#define GLOVEBOX_CLIENT_SUPPLIER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "client/ask.h"
#include "sandbox/endings.h"

/* The kind of supervisor that is wanted. */
struct supplier_terms {
	const char *image;   /* canonical */
	const char *preload; /* modules, as spec/preload.h describes; NULL: the image's, or any */
	bool trust_image;    /* for our own: accept an imported image */
	unsigned pool;       /* idle cells of our own supervisor */
};

struct supplier {
	struct supplier_terms terms; /* owns its texts */
	bool own;
	char directory[256]; /* of our own supervisor */
	pid_t watchdog;      /* 0: none */
	int pipe;            /* owned; the supervisor lives while we hold it; EPOLLERR: it ended */
	int said;            /* owned: its stderr */
	bool has_told;       /* supplier_tell() has run */
	const struct registration *place; /* borrowed; of the face, which tells of our own; NULL */
};

/*
 * supplier_open - find or start a supervisor; returns before it is ready.
 *
 * @terms  its texts are copied.
 * @out    owned: supplier_close().
 * Call it while the process is small, because the watchdog is a fork of it.
 */
int supplier_open(const struct supplier_terms *terms, struct supplier *out, struct err *e);

/* Whether the user's supervisor, which has reported this status, may serve us. */
struct status_answer;
bool supplier_suits(const struct supplier *w, const struct status_answer *status);

/* Where to reach it, as in wire/runtime_dir.h: NULL is the user's. Borrowed. */
const char *supplier_where(const struct supplier *w);

/*
 * supplier_list - let the face's place in the registry tell of our own supervisor, now and whenever
 * another takes its place. @place: outlives it; NULL: no more.
 */
struct registration; /* client/registry.h */
void supplier_list(struct supplier *w, const struct registration *place);

/* Whether a cell is ready for us. Costs a fifth of a millisecond. */
bool supplier_is_ready(const struct supplier *w);

/*
 * Ask (OP_READY) whether its Python is still importing: until that is done, a request for a cell
 * would wait. End it with ask_end(); an error means that the supervisor is gone.
 */
struct ask *supplier_ask_ready(const struct supplier *w);

/*
 * The user's supervisor does not fit after all: start one of our own. -1 also if it is already
 * ours.
 */
int supplier_fall_back(struct supplier *w, struct err *e);

/*
 * Whether our own supervisor has ended by itself, and will give no cell. When it does, w->pipe
 * reports EPOLLERR.
 */
bool supplier_has_ended(const struct supplier *w);

/*
 * supplier_restart - replace the supervisor by a new one of our own: supplier_where() changes. It
 * does not check the machine again: a supervisor that cannot work reports so and exits.
 * supplier_take_users() - switch to the user's supervisor, which runs and has our image.
 *
 * @endings  borrowed: reaps the old supervisor, if it was ours. NULL: it is the user's.
 * Neither waits for a process. After an error *w is unchanged.
 */
int supplier_restart(struct supplier *w, struct endings *endings, struct err *e);
void supplier_take_users(struct supplier *w, struct endings *endings);

/*
 * supplier_tell - print on stderr which modules our own supervisor could not preload, and why.
 *
 * Call it once work has begun: they are known then. Only the first call prints.
 */
void supplier_tell(struct supplier *w);

/*
 * supplier_last_words - replace *e by our supervisor's last message, if any. It closes its socket
 * first, and then prints why it exits.
 */
#define SUPPLIER_LAST_WORDS_MS 300
void supplier_last_words(const struct supplier *w, struct err *e);

/* The same, after waiting this long for its end. */
void supplier_explain(const struct supplier *w, struct err *e);

/*
 * supplier_end - before supplier_close(): let the supervisor end, and wait at most this long.
 * false: it continues to end without us, and supplier_close() would wait for it; to exit quickly,
 * do not call that.
 */
bool supplier_end(struct supplier *w, unsigned ms);

/*
 * Returns when the supervisor and its watchdog have ended; after 16 s it leaves them to themselves.
 */
void supplier_close(struct supplier *w);

/*
 * supplier_shares_ids - whether a new supervisor would give its cells our own ids; *why gives the
 * reason, with the remedy. As root it has ids for them, or does not start.
 */
bool supplier_shares_ids(struct err *why);

#endif
