/*
 * supplier - the warm supervisor from which a face takes its cells: the user's, or one of the
 * face's own.
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
 * The listening socket is made here and passed on, as systemd would: connecting to it works at
 * once, and a request waits until there is a cell.
 *
 * Who drives a hub has another one found by client/resupply.h, when one is lost.
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
#include "host/endings.h"

/* Which one. */
struct supplier_terms {
	const char *image;   /* canonical */
	const char *preload; /* modules, as spec/preload.h has them; NULL: the image's, or any */
	bool trust_image; /* of our own: accept an imported image. The user's has its own setting */
	unsigned pool;    /* cells that wait, in one of our own */
};

struct supplier {
	struct supplier_terms terms; /* the texts are owned */
	bool own;
	char directory[256]; /* of our own */
	pid_t watchdog;      /* 0: none */
	int pipe;            /* owned; the supervisor lives while it is held; EPOLLERR: it ended */
	int said;            /* owned: its stderr */
	bool has_told;       /* supplier_tell() */
};

/*
 * supplier_open - find or start one; returns before it is ready.
 *
 * @terms  its texts are copied.
 * @out    owned: supplier_close().
 * Call it while the process is small, because the watchdog is a fork of it.
 */
int supplier_open(const struct supplier_terms *terms, struct supplier *out, struct err *e);

/* Whether the user's supervisor, which has said this of itself, may serve. */
struct status_answer;
bool supplier_suits(const struct supplier *w, const struct status_answer *status);

/* Where it is found, as in wire/runtime_dir.h: NULL is the user's. Borrowed. */
const char *supplier_where(const struct supplier *w);

/* Is a cell ready for us? Costs a fifth of a millisecond. */
bool supplier_is_ready(const struct supplier *w);

/*
 * Ask (OP_READY) whether its Python is still importing: until that is done, asking for a cell would
 * wait. End it with ask_end(); an error means that the supervisor is gone.
 */
struct ask *supplier_ask_ready(const struct supplier *w);

/*
 * The user's supervisor does not fit after all: start one of our own. -1 also if it is ours
 * already.
 */
int supplier_fall_back(struct supplier *w, struct err *e);

/*
 * Our own supervisor has ended by itself: there will be no cell. Until it has, a wait on w->pipe
 * has nothing to tell; then it has EPOLLERR.
 */
bool supplier_has_ended(const struct supplier *w);

/*
 * supplier_restart - start one of our own instead of the one there is: supplier_where() changes.
 * Whether the machine can have one is not looked at again: it says so itself, and ends.
 * supplier_take_users() - have the user's, which runs and has our image.
 *
 * @endings  borrowed: sees to the end of the one before, if that was ours. NULL: it is the user's.
 * Neither waits for a process. After an error *w is as it was.
 */
int supplier_restart(struct supplier *w, struct endings *endings, struct err *e);
void supplier_take_users(struct supplier *w, struct endings *endings);

/*
 * supplier_tell - say on stderr which modules a supervisor of our own could not preload, and why.
 *
 * Call it when something of its has begun: it is known then. Only the first call does anything.
 */
void supplier_tell(struct supplier *w);

/*
 * supplier_last_words - replace *e by what our supervisor has printed, if anything. It closes its
 * socket first, and prints afterwards why it ends.
 */
#define SUPPLIER_LAST_WORDS_MS 300
void supplier_last_words(const struct supplier *w, struct err *e);

/* The same, after waiting so long for its end. */
void supplier_explain(const struct supplier *w, struct err *e);

/*
 * supplier_end - before supplier_close(): let it end, and wait so long at most. false: it goes on
 * ending without us, and supplier_close() would wait for that; whoever is in a hurry just exits.
 */
bool supplier_end(struct supplier *w, unsigned ms);

/* Returns when everything of it has ended; after 16 s it is left to the watchdog. */
void supplier_close(struct supplier *w);

/*
 * supplier_shares_ids - whether a supervisor that begins now has no ids for its cells but ours;
 * *why says the reason, with the remedy. As root it has some, or does not begin.
 */
bool supplier_shares_ids(struct err *why);

#endif
