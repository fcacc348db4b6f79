/*
 * session - start a cell that keeps its interpreter, and call it.
 *
 * A session is a handful of descriptors (wire/session.h). The client that has borrowed them from
 * the supervisor drives it alone with this code. The session is hostile (frame.h): an answer that
 * breaks the rules ends the session, and with it the cell.
 *
 * Runs: client. Needs: write access to its cgroups.
 */
#ifndef GLOVEBOX_CLIENT_SESSION_H
#define GLOVEBOX_CLIENT_SESSION_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sink.h"
#include "spec/spec.h"
#include "wire/session.h"

/*
 * session_start - start one in a warm cell.
 *
 * @where      the supervisor (wire/runtime_dir.h).
 * @spec       finished (client/session_spec.h).
 * @published  on success gets lines about the ports chosen for -p (client/network.h); NULL: not
 *             wanted.
 * @out        on success owned by the caller: session_close().
 * Errors: no supervisor, a cell that does not fit, a confinement step that failed.
 */
int session_start(const char *where, const struct sandbox_spec *spec, struct buf *published,
		  struct session *out, struct err *e);

#define SESSION_TICK_US 100000

struct session_call {
	/* in */
	uint64_t timeout_ms;    /* SPEC_UNLIMITED: none */
	uint64_t output_max;    /* bytes of each stream */
	size_t answer_max;      /* bytes */
	const struct sink *out; /* two, for stdout and stderr; NULL: output is dropped */
	int signal_fd;          /* SIGINT and others interrupt the call; -1: ignore signals */
	bool patient; /* only the second signal interrupts, and then the session is lost */
	bool force;   /* allow a rollback that ends threads for good */
	bool spares;  /* let uninterruptible code continue instead: `left` */
	void (*tick)(void *context); /* called while waiting, at least at this interval; NULL */
	void *tick_context;
	/* out */
	struct buf answer; /* strict JSON (json_strict.h) of bounded cost; buf_fini() */
	bool truncated[2];
	int output_error; /* errno if some of stdout could not be relayed; 0 */
	bool timed_out;
	bool interrupted;
	bool insisted;     /* interrupted twice: the code had no time to end */
	bool ends_threads; /* the rollback was refused because of them */
	bool left;         /* *e is ERR_BUSY; the next request waits for the end of this one */
	bool lost;         /* the session is dead: *e is ERR_GONE */
	char why[200];     /* why it is lost */
	bool in_sockets;   /* lost because of too many sockets */
	bool died;         /* it died by itself; the supervisor may know why (client_lose()) */
	uint64_t duration_us;
	uint32_t id; /* of the request */
};

/* Set *e: the session is lost, and why, in two parts. Returns -1. */
int session_is_lost(struct err *e, const char *who, const char *why);

/* Mark the session as lost in this call, for the reason in *e. Returns -1. */
int session_call_lose(struct session_call *call, struct err *e);

/*
 * session_ask - send one request, with a pipe of its own for the answer, and wait for the answer.
 *
 * @socket   the session's channel, or a checkpoint's.
 * @members  of the request's JSON object, without "id" and braces.
 * At the deadline we interrupt the code (SIGINT); after a grace of 2 s we kill the cell.
 * Errors: call->lost with the reason; otherwise the request was not sent: it is larger than
 * SESSION_REQUEST_MAX, or a limit of ours forbids it (ERR_LIMIT).
 */
int session_ask(struct session *session, int socket, const char *members, size_t length,
		struct session_call *call, struct err *e);

/*
 * session_checkpoint, session_rollback - see rootfs/guest/session.py.
 *
 * Errors: call->lost as above; otherwise the session continues, as it was or, if only files could
 * not be restored, from the checkpoint.
 */
int session_checkpoint(struct session *session, const char *name, struct session_call *call,
		       struct err *e);
int session_rollback(struct session *session, const char *name, struct session_call *call,
		     struct err *e);

/* Wait until the session is frozen, or continues: client/freezing.h. @out: not NULL. */
int session_freeze(struct session *session, struct cgroup_memory *out, struct err *e);
int session_thaw(struct session *session, struct err *e);

#endif
