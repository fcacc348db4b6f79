/*
 * session - the descriptors of a cell that keeps its interpreter from call to call.
 *
 * The supervisor keeps them; a client that has borrowed them drives the session
 * (service/notebook.h).
 *
 * Runs: client, supervisor. Needs: nothing beyond the descriptors.
 */
#ifndef GLOVEBOX_WIRE_SESSION_H
#define GLOVEBOX_WIRE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cgroup/cgroup.h"
#include "sandbox/endings.h"

#define SESSION_MAX_CHECKPOINTS 8
#define SESSION_NAME_MAX        64
#define SESSION_WAIT_MS         30000       /* while another client has it */
#define SESSION_GRACE_MS        2000        /* from a call's interrupt to the kill */
#define SESSION_REQUEST_MAX     (64u << 20) /* bytes: REQUEST_MAX of rootfs/guest/session.py */

/*
 * A request of at most so many bytes enters an empty channel in one piece, or not at all: whatever
 * becomes of its sender, the interpreter never waits for the rest of it.
 */
#define SESSION_WHOLE_MAX (32u << 10)

enum session_fd {
	SESSION_PIDFD,
	SESSION_CONTROL,
	SESSION_CHANNEL, /* requests go down; nothing comes up (frame.h) */
	SESSION_STDOUT,
	SESSION_STDERR,
	SESSION_PLAN, /* for further programs (sandbox/door.h) */
	SESSION_FDS
};

/* A checkpoint: a waiting copy of the interpreter. */
struct session_checkpoint {
	char name[SESSION_NAME_MAX];
	int socket;     /* owned; as SESSION_CHANNEL */
	uint32_t pid;   /* pid inside, as the copy reports it; 1: no rollback to it is possible any
			   more */
	uint64_t start; /* start time of that process, from the kernel, since a pid may be reused */
	bool is_new;    /* made since the session was borrowed */
	uint64_t made_us; /* monotonic; known to the supervisor only */
};

struct session {
	int fds[SESSION_FDS]; /* owned; -1 */
	int network; /* owned; the control socket of its network (sandbox/egress.h); -1: it has
			none, or only the supervisor has it */
	bool has_network;
	struct cgroup_ref group; /* owned */
	uint32_t host_uid;
	uint32_t host_gid;
	uint64_t memory_bytes;  /* its limit; SPEC_UNLIMITED */
	bool frozen;            /* set before a change begins, so it may also be about to freeze */
	uint64_t sockets_at_us; /* next count of its sockets; 0: not set */
	bool has_new_channel;   /* since it was borrowed */
	struct session_checkpoint
		checkpoints[SESSION_MAX_CHECKPOINTS]; /* in the order of their making */
	unsigned checkpoint_count;
};

/* No session: nothing owned. */
struct session session_none(void);

/* How many processes of its group the kernel has killed for lack of memory so far. */
uint64_t session_oom_kills(const struct session *session);

/* Close the descriptors; if they were the last copies, the cell dies. */
void session_close(struct session *session);

/* Kill the cell without waiting for its end. */
void session_kill(const struct session *session);

/*
 * Kill the cell, wait for its end (at most CHILD_END_MS), remove its control group and close it. No
 * error if there is none.
 */
void session_end(struct session *session);

/* The same for who serves others meanwhile: the rest is done by endings_look(). */
void session_end_later(struct session *session, struct endings *endings);

#endif
