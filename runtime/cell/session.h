/*
 * session - a cell that keeps its interpreter from call to call.
 *
 * A session is a handful of descriptors. Whoever has borrowed them from the
 * supervisor drives it, with this code; nobody else does meanwhile. What comes
 * out of it is hostile (frame.h): an answer that breaks the rules ends the
 * session, and with it the cell.
 *
 * Runs: clients.
 */
#ifndef GLOVEBOX_CELL_SESSION_H
#define GLOVEBOX_CELL_SESSION_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "host/sandbox.h"

#define SESSION_MAX_TWINS   8
#define SESSION_NAME_MAX    64
#define SESSION_WAIT_MS     30000       /* for one that another has borrowed */
#define SESSION_REQUEST_MAX (64u << 20) /* bytes: REQUEST_MAX of rootfs/guest/session.py */

#define SESSION_IS_LOST     "the session is lost: "

enum session_fd {
	SESSION_PIDFD,
	SESSION_CONTROL,
	SESSION_CHANNEL, /* requests go down it, nothing comes up (frame.h) */
	SESSION_STDOUT,
	SESSION_STDERR,
	SESSION_WORKSPACE,
	SESSION_FDS
};

/* A checkpoint: a copy of the interpreter that waits. */
struct session_twin {
	char name[SESSION_NAME_MAX];
	int socket;     /* owned; as SESSION_CHANNEL */
	uint32_t pid;   /* inside, as it says itself; 1: it cannot be returned to any more */
	uint64_t start; /* of that process, as the kernel knows it: a number may be another's by now
			 */
	bool is_new;    /* made since the session was borrowed */
};

struct session {
	int fds[SESSION_FDS]; /* owned; -1 */
	int groups[CGROUP_MAX_FDS];
	unsigned group_count;
	char group[80];
	uint32_t host_uid;
	uint32_t host_gid;
	uint64_t memory_bytes;  /* its limit; SPEC_UNLIMITED */
	bool frozen;            /* or perhaps: who is about to change it says so first */
	uint64_t sockets_at_us; /* when its sockets are counted next; 0: not yet */
	bool has_new_channel;   /* since it was borrowed */
	struct session_twin twins[SESSION_MAX_TWINS]; /* in the order of their making */
	unsigned twin_count;
};

struct session session_none(void);

/*
 * session_start - begin one in a warm cell.
 *
 * @s    opened, with a mount of kind MOUNT_STAGE on /workspace; planned here.
 * @out  on success owned by the caller: session_close().
 * Errors: no supervisor, a cell that does not fit, a confinement step that failed.
 */
int session_start(struct sandbox *s, struct session *out, struct err *e);

/* What keep and borrow say of its limit, a JSON member: "memory". */
void session_write_memory(const struct session *session, struct buf *out);
int session_read_memory(const struct json *from, struct session *out, struct err *e);

/* Its control group from now on: @group is forgotten. */
void session_take_group(struct session *session, struct cgroup *group);

/* How many processes of its group the kernel has killed for want of memory, until now. */
uint64_t session_oom_kills(const struct session *session);

/* Close the descriptors; when they were the last ones, the cell dies. */
void session_close(struct session *session);

/* Kill the cell, and do not wait for its end. */
void session_kill(const struct session *session);

/* Kill the cell, wait for its end (CHILD_END_MS at most), remove its control group and close it.
 * None: no error. */
void session_end(struct session *session);

struct session_call {
	/* in */
	uint64_t timeout_ms;  /* SPEC_UNLIMITED: none */
	uint64_t output_max;  /* bytes of each stream */
	size_t answer_max;    /* bytes */
	bool forward;         /* to our stdout and stderr, as it comes */
	struct buf *captured; /* two, or NULL */
	int signal_fd;        /* SIGINT and kin interrupt the call; -1: nobody */
	bool patient;         /* ... the second time only, and then the session is lost */
	/* out */
	struct buf answer; /* strict JSON (json_strict.h) of bounded cost; buf_fini() */
	bool truncated[2];
	int output_error; /* errno when some of stdout could not be forwarded; 0 */
	bool timed_out;
	bool interrupted;
	bool insisted; /* interrupted twice: it was not given time to end */
	bool lost;     /* the session is dead: *e says why, behind SESSION_IS_LOST */
	bool died;     /* so, and not by our hand: who keeps it may know more (client_lose()) */
	uint64_t duration_us;
	uint32_t id; /* of the request */
};

/*
 * session_ask - send one request, with a pipe of its own for the answer, and wait for that.
 *
 * @socket   the session's channel, or a twin's.
 * @members  of the request's JSON object, without "id" and braces.
 * Past the deadline the code is interrupted (SIGINT); after a grace of 2 s the cell
 * is killed. Errors: call->lost with the reason; else the request was not sent: it is larger
 * than SESSION_REQUEST_MAX.
 */
int session_ask(struct session *session, int socket, const char *members, size_t length,
		struct session_call *call, struct err *e);

/* The same, and a descriptor goes along with it. @handed  owned: closed here in every case. */
int session_hand(struct session *session, int socket, const char *members, size_t length,
		 int handed, struct session_call *call, struct err *e);

/* Take what has come by call->signal_fd: call->interrupted, and from the second on call->insisted.
 * Returns how many. */
unsigned session_call_signals(struct session_call *call);

/*
 * session_checkpoint, session_rollback - see rootfs/guest/session.py.
 *
 * Errors: call->lost as above; else the session goes on, as it was or, if only files could
 * not be put back, from the checkpoint.
 */
int session_checkpoint(struct session *session, const char *name, struct session_call *call,
		       struct err *e);
int session_rollback(struct session *session, const char *name, struct session_call *call,
		     struct err *e);

#endif
