/*
 * client - send requests to a warm supervisor.
 *
 * @where names the supervisor (wire/runtime_dir.h): NULL is the user's own.
 *
 * Each function waits for the answer: at most 60 s, less if the supervisor is stopped. client/ask.h
 * offers the same as an operation.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_CLIENT_H
#define GLOVEBOX_CLIENT_CLIENT_H

#include "base/err.h"
#include "client/ask.h"
#include "wire/operations.h"
#include "wire/session.h"

/*
 * client_ask - send one request and wait for its answer (ask.h).
 *
 * @socket  a connection to ask on; -1: a new one.
 * @fields  as op_request_write() takes them.
 * @fds     to send along; borrowed.
 * @out     on success end with op_answer_fini().
 * Errors: ERR_NOT_FOUND, with the remedy, no supervisor is running; the supervisor's own.
 */
int client_ask(const char *where, int socket, enum op op, const void *fields, const int *fds,
	       unsigned fd_count, struct op_answer *out, struct err *e);

/* The same, on a new connection. */
int client_ask_once(const char *where, enum op op, const void *fields, struct op_answer *out,
		    struct err *e);

/* The same; on success the caller owns the connection. */
int client_ask_and_stay(const char *where, enum op op, const void *fields, int *connection,
			struct op_answer *out, struct err *e);

#define CLIENT_KEEP_FDS   (SESSION_FDS + CGROUP_MAX_FDS + 1)
#define CLIENT_RETURN_FDS (SESSION_MAX_CHECKPOINTS + 1)

/* The terms of a session, in addition to its sandbox. */
struct session_terms {
	uint64_t idle_ms; /* longest idle time; 0: no limit */
	uint64_t ttl_ms;  /* longest life */
};

/*
 * client_ask_to_keep - hand a session over to the supervisor, which keeps it; we keep our
 * descriptors. Drive it with ask.h.
 * @fds  room for descriptors; borrowed until its end, as is the session.
 * Returns NULL with *e for an invalid name.
 */
struct ask *client_ask_to_keep(const char *where, const char *name, const struct session *session,
			       const struct session_terms *terms, int fds[CLIENT_KEEP_FDS],
			       struct err *e);

/* End a session. ERR_NOT_FOUND, ERR_GONE: it has already ended. */
int client_drop(const char *where, const char *name, struct err *e);

/*
 * List the checkpoints of a session, even while another client has borrowed it.
 * @out  on success end with op_answer_fini(). ERR_NOT_FOUND, ERR_GONE: it has ended.
 */
int client_checkpoints(const char *where, const char *name, struct op_answer *out, struct err *e);

enum borrow_use {
	BORROW_STEPS, /* several requests, or large ones: ends if the borrower vanishes */
	BORROW_CALL,  /* one of at most SESSION_WHOLE_MAX: continues, interrupted */
	BORROW_FILES, /* only for /workspace: the interpreter is not involved, frozen or not */
};

/* The use for one request of that size. */
enum borrow_use client_use(size_t length);

/* Whether there can be a session of this name. ERR_NOT_FOUND */
int client_check_name(const char *name, struct err *e);

/* Whether a new session may have this name. ERR_INPUT */
int client_check_new_name(const char *name, struct err *e);

/*
 * client_receive_borrowed - take the supervisor's answer to OP_BORROW, which ask_start() sent.
 *
 * The session is as it was, perhaps frozen (session/freezing.h). Never waits.
 * @x    over; ended here.
 * @out  on error session_close(), after client_ask_to_return() if there is a connection: otherwise
 *       the session would end with it.
 */
int client_receive_borrowed(struct ask *x, struct session *out, int *connection, struct err *e);

/*
 * client_ask_to_return - return a session with its present checkpoints; closes nothing.
 * @fds  room for descriptors; borrowed until its end, as are the session and the connection.
 */
struct ask *client_ask_to_return(const char *where, const struct session *session, bool lost,
				 int connection, int fds[CLIENT_RETURN_FDS]);

#endif
