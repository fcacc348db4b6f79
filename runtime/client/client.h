/*
 * client - requests to a warm supervisor.
 *
 * @where names the supervisor (wire/runtime_dir.h): NULL is the user's own.
 *
 * Each function waits for the answer: at most 60 s, less if the supervisor is found to be stopped.
 * client/ask.h is the same as an operation.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_CLIENT_H
#define GLOVEBOX_CLIENT_CLIENT_H

#include "base/err.h"
#include "client/session.h"
#include "wire/operations.h"

/*
 * client_ask - make one request and wait for its answer (ask.h).
 *
 * @socket  a connection to ask on; -1: a new one.
 * @fields  as op_request_write() takes them.
 * @fds     to send along; borrowed.
 * @out     on success end with op_answer_fini().
 * Errors: ERR_NOT_FOUND, with the remedy, when no supervisor is running; the supervisor's own.
 */
int client_ask(const char *where, int socket, enum op op, const void *fields, const int *fds,
	       unsigned fd_count, struct op_answer *out, struct err *e);

/* The same, on a new connection. */
int client_ask_once(const char *where, enum op op, const void *fields, struct op_answer *out,
		    struct err *e);

/* The same; on success the caller owns the connection. */
int client_ask_and_stay(const char *where, enum op op, const void *fields, int *connection,
			struct op_answer *out, struct err *e);

/* The terms of a session, beside its sandbox. */
struct session_terms {
	uint64_t idle_ms; /* longest time without use; 0: no limit */
	uint64_t ttl_ms;  /* longest life */
};

/* Give a session into the supervisor's keeping. Our descriptors stay ours. */
int client_keep(const char *where, const char *name, const struct session *session,
		const struct session_terms *terms, struct err *e);

/* End a session. ERR_NOT_FOUND, ERR_GONE: it has ended already. */
int client_drop(const char *where, const char *name, struct err *e);

/*
 * client_borrow - borrow a kept session; waits while another client has it. A frozen one is thawed.
 *
 * @files       only for /workspace: the interpreter is left alone, frozen or not, and survives a
 *              borrower that vanishes.
 * @wait_ms     longest wait for another client; at most SESSION_WAIT_MS.
 * @connection  owned by the caller: when it closes without client_return(), the supervisor ends the
 *              session.
 * Errors: ERR_NOT_FOUND, ERR_GONE: it has ended; ERR_BUSY: another client has it; ERR_LIMIT: this
 * process has no room for its descriptors, and has returned it.
 */
int client_borrow(const char *where, const char *name, bool files, uint64_t wait_ms,
		  struct session *out, int *connection, struct err *e);

/*
 * Borrow it to freeze or thaw it: the interpreter is left alone, and the supervisor expects it to
 * be frozen.
 */
int client_borrow_to_freeze(const char *where, const char *name, struct session *out,
			    int *connection, struct err *e);

/*
 * client_lose - return a session that was lost in a call.
 * @e  the error of session_ask(); replaced if the supervisor knows the reason.
 */
void client_lose(const char *where, struct session *session, const struct session_call *call,
		 int *connection, struct err *e);

/* Return it, with its present checkpoints, and close everything of it here. */
int client_return(const char *where, struct session *session, bool lost, int *connection,
		  struct err *e);

#endif
