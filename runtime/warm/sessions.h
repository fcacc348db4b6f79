/*
 * sessions - the supervisor's table of sessions: kept here, driven by clients.
 *
 * A client that made a session hands its descriptors over ("keep"). A client that wants to use one
 * borrows copies ("borrow") and returns it ("return"); a session has at most one borrower. If a
 * borrower vanishes during one call, the supervisor lends the session only for /workspace until the
 * call's code has ended (warm/orphan.h); if it vanishes elsewhere, the session ends, and its name
 * reports that for a while. A client that returns a session as lost learns why, if the supervisor
 * ended it: for its time limit, for example.
 *
 * Runs: supervisor. Needs: write access to the cgroups.
 */
#ifndef GLOVEBOX_WARM_SESSIONS_H
#define GLOVEBOX_WARM_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "sandbox/endings.h"
#include "warm/lost_sessions.h"
#include "warm/orphan.h"
#include "wire/operations.h"
#include "wire/session.h"

#define SESSIONS_MAX 4096
#define NOBODY       0

struct kept_session {
	char name[SESSION_NAME_MAX];
	uint64_t number; /* in the order of their making; never used twice */
	struct session session;
	uint64_t borrower; /* a client's number; NOBODY */
	bool for_files;    /* borrowed for /workspace: the interpreter is not used */
	bool outlives;     /* ... for a request that may continue without a reader of its answer */
	uint64_t limit_ms; /* ... of that request; SPEC_UNLIMITED: none */
	struct orphan orphan;
	uint64_t made_us;
	uint64_t used_us;
	uint64_t idle_ms; /* longest time without use; 0: no limit */
	uint64_t ttl_ms;  /* longest life */
	uint64_t calls;
	uint64_t oom_kills; /* at the end of the last call */
	uint32_t execs;     /* programs started beside its interpreter */
	unsigned visitors;  /* clients that are connected for such a program: it is not idle */
};

/* Why it must end, or NULL. @ended: its cell has died. Drops an orphan that has ended. */
const char *kept_session_why_over(struct kept_session *k, bool ended, uint64_t now_us);

/*
 * Why an idle session must end: it has too many sockets (sandbox/socket_count.h). NULL: it need
 * not.
 */
const char *kept_session_why_full(const struct kept_session *k);

/* Whether a client has it, or a vanished client's code still runs in it. */
bool kept_session_is_busy(const struct kept_session *k);

/* Whether it can be lent now, to a client that has waited for it since then. */
bool kept_session_can_be_lent(struct kept_session *k, const struct borrow_request *request,
			      uint64_t since_us);

/* Do what is due for its orphan, unless a client has it for its files. */
void kept_session_look_after(struct kept_session *k, uint64_t now_us);

/*
 * kept_session_set_life - set another time to live, counted from now; its borrower keeps it.
 * @out  its new terms. Errors: ERR_LIMIT: longer than the request allows.
 */
int kept_session_set_life(struct kept_session *k, const struct life_request *request,
			  uint64_t now_us, struct life_answer *out, struct err *e);

/* List its checkpoints; end @out with form_fini(); its texts are borrowed. */
void kept_session_list_checkpoints(const struct kept_session *k, uint64_t now_us,
				   struct checkpoints_answer *out);

/*
 * kept_session_leave_files - the client that borrowed it for files, or to freeze or thaw it, has
 * vanished: thaw it, so that what goes on is listed so, and its sockets are counted.
 */
void kept_session_leave_files(struct kept_session *k);

/* Its entry in the list; its texts are borrowed. @memory: with how much it has. */
struct session_entry kept_session_describe(const struct kept_session *k, bool memory,
					   uint64_t now_us);

/* The CPU time of its processes; up to 20 ms where its group does not count it. 0: unknown. */
uint64_t kept_session_cpu_us(const struct kept_session *k);

/*
 * kept_session_enter - number a program that a client starts beside the interpreter.
 * @layout  of the client's plans (sandbox/plan_image.h).
 * @fds     two descriptors to send along, borrowed.
 * Errors: ERR_BUSY: it is frozen, or many clients have programs in it; ERR_UNSUPPORTED: the client
 * is of another build.
 */
int kept_session_enter(struct kept_session *k, const char *layout, struct door_answer *out,
		       int *fds, struct err *e);

struct sessions {
	struct kept_session *items;
	unsigned count;
	unsigned capacity;
	unsigned turn; /* counts the turns: each checks the sockets of some sessions only */
	uint64_t last_number;
	struct lost_sessions lost;
	struct endings *endings; /* borrowed */
};

/*
 * sessions_keep - take over a session that a client has made, with the request's descriptors.
 * Errors: ERR_EXISTS: its name is taken; ERR_LIMIT.
 */
int sessions_keep(struct sessions *s, struct op_request *request, struct err *e);

/*
 * sessions_find - the living session of that name; borrowed until the next call. NULL:
 * ERR_NOT_FOUND, or ERR_GONE with the reason.
 */
struct kept_session *sessions_find(struct sessions *s, const char *name, struct err *e);

/*
 * sessions_lend - lend it to a client, whose number sessions_return() and sessions_leave() use.
 *
 * @k    kept_session_can_be_lent() is true.
 * @out  end with form_fini(), like all fields of answers.
 * @fds  WIRE_MAX_FDS descriptors to send along, borrowed; returns their number.
 */
unsigned sessions_lend(struct kept_session *k, uint64_t client,
		       const struct borrow_request *request, struct borrow_answer *out, int *fds);

/* Take a session back from its borrower. NULL, or why the supervisor had ended it meanwhile. */
const char *sessions_return(struct sessions *s, uint64_t client, struct op_request *request);

/* End a session at its user's request. */
void sessions_drop(struct sessions *s, struct kept_session *k);

/* The next page of the list, or the one that is wanted; end @out with form_fini(); its texts are
 * borrowed. */
void sessions_list(struct sessions *s, const struct sessions_request *request,
		   struct sessions_answer *out);

/* Undo a loan that has not reached its client. */
void sessions_take_back(struct sessions *s, uint64_t client);

/* A client that visited a session has closed its connection. @number: NOBODY: none. */
void sessions_unvisit(struct sessions *s, uint64_t number);

/* A client has closed its connection. */
void sessions_leave(struct sessions *s, uint64_t client);

/* End sessions that died or exceeded their limits. Returns how many are left. */
unsigned sessions_check(struct sessions *s, uint64_t now_us);

/*
 * All sessions end with their nursery. Call it before stopping the nursery, which waits for
 * processes that v1 froze.
 */
void sessions_lose(struct sessions *s);

/* End all that are left, and free the table. */
void sessions_fini(struct sessions *s);

#endif
