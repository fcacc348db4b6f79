/*
 * running - a program in a sandbox of E2B's API, and those who listen to it.
 *
 * It is started by one request and goes on when its client leaves; any number of others can listen
 * to what it prints from then on, by its number or its tag. What it prints while nobody listens is
 * dropped. A client that does not read holds its program up, and no other.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_E2B_RUNNING_H
#define GLOVEBOX_E2B_RUNNING_H

#include <sys/queue.h>

#include "base/json.h"
#include "e2b/e2b_box.h"
#include "e2b/listener.h"
#include "request/account.h"
#include "request/session_work.h"
#include "session/further.h"

/*
 * Clients know a program by this and its number in the session: no pid is so large (PID_MAX_LIMIT
 * is 1 << 22), so `kill` inside meets no other process.
 */
#define RUNNING_PID        (1u << 30)
#define RUNNING_MOST       64          /* in one sandbox */
#define RUNNING_WORDS_MOST (256 << 10) /* bytes of its words and variables */
#define RUNNING_INPUT_MOST (8u << 20)  /* bytes that wait for all of them */

struct running {
	LIST_ENTRY(running) link; /* of box->programs */
	struct audience audience;
	struct e2b_box *box;
	struct key *key; /* held */
	struct account account;
	struct list words;
	struct list env;
	size_t env_own; /* behind so many of the box: those of its own */
	char *cwd;      /* owned; NULL: the home directory */
	char *tag;      /* owned; NULL */
	bool is_terminal;
	bool ends_input; /* when all that waits has gone */
	bool has_started;
	uint64_t began_us;
	struct further *further;
	struct further_result result;
	struct further_request request;
	struct buf input;   /* waits for it */
	struct buf rest[2]; /* of its output: a character that is not whole */
};

/*
 * running_start - start what a request asks for; it is the first listener, and answered from now
 * on.
 * @wish  a StartRequest.
 */
void running_start(struct request *r, struct e2b_box *b, const struct json *wish);

/* The pid that clients know it by. */
uint32_t running_pid(const struct running *p);

/* The program that a ProcessSelector names; NULL: none. */
struct running *running_find(const struct e2b_box *b, const struct json *selector);

/* The same by its pid, or its tag if that is 0. @tag  NULL: none. */
struct running *running_named(const struct e2b_box *b, uint64_t pid, const char *tag);

/* Send input. false: too much waits already. */
bool running_feed(struct running *p, const char *bytes, size_t length);
void running_feed_end(struct running *p);

/* Work on a sandbox found it gone, or frozen: refuse its request, and forget its box. */
void running_gone(struct session_work *w, const struct err *e);

#endif
