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
#include "client/session.h"
#include "wire/operations.h"

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

/* Hand a session over to the supervisor, which keeps it. We keep our descriptors. */
int client_keep(const char *where, const char *name, const struct session *session,
		const struct session_terms *terms, struct err *e);

/*
 * client_ask_to_keep - asynchronous variant of client_keep(); drive it with ask.h.
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

/*
 * client_borrow - borrow a kept session; waits while another client has it, or the call of a
 * vanished client goes on (warm/orphan.h). Thaws a frozen session.
 *
 * @limit_ms    time limit of the call, also if we vanish; SPEC_UNLIMITED: none. It bounds the wait,
 *              too, if it is shorter than SESSION_WAIT_MS.
 * @connection  owned by the caller: if it is closed without client_return(), the supervisor ends
 *              the session, or interrupts its code.
 * Errors: ERR_NOT_FOUND, ERR_GONE: it has ended; ERR_BUSY: it is busy; ERR_LIMIT: this process has
 * no room for its descriptors, and has returned the session.
 */
int client_borrow(const char *where, const char *name, enum borrow_use use, uint64_t limit_ms,
		  struct session *out, int *connection, struct err *e);

/* Whether a session can have this name. ERR_NOT_FOUND */
int client_check_name(const char *name, struct err *e);

/*
 * client_receive_borrowed - take the supervisor's answer to OP_BORROW, which ask_start() sent.
 *
 * The session is as it was, perhaps frozen (client/freezing.h). Never waits.
 * @x    over; ended here.
 * @out  on error session_close(), after client_ask_to_return() if there is a connection: otherwise
 *       the session would end with it.
 */
int client_receive_borrowed(struct ask *x, struct session *out, int *connection, struct err *e);

/*
 * client_take_borrowed - asynchronous variant of client_borrow(), for a request (OP_BORROW) that
 * ask_start() sent.
 * @x    over; ended here.
 * @use  of that request.
 */
int client_take_borrowed(const char *where, struct ask *x, enum borrow_use use, struct session *out,
			 int *connection, struct err *e);

/*
 * Borrow it in order to freeze or thaw it: the interpreter is not involved, and the supervisor
 * expects it to be frozen.
 */
int client_borrow_to_freeze(const char *where, const char *name, struct session *out,
			    int *connection, struct err *e);

/*
 * client_lose - return a session that a call has lost.
 * @e  the error of session_ask(); replaced if the supervisor knows the reason.
 */
void client_lose(const char *where, struct session *session, const struct session_call *call,
		 int *connection, struct err *e);

/* Return a session with its present checkpoints, and close our descriptors of it. */
int client_return(const char *where, struct session *session, bool lost, int *connection,
		  struct err *e);

/*
 * client_ask_to_return - asynchronous variant of client_return(), which closes nothing.
 * @fds  room for descriptors; borrowed until its end, as are the session and the connection.
 */
struct ask *client_ask_to_return(const char *where, const struct session *session, bool lost,
				 int connection, int fds[CLIENT_RETURN_FDS]);

#endif
