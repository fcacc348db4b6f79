/*
 * lease - take a warm cell from the supervisor for one run.
 *
 * The supervisor hands over everything that controls a cell: its pidfd, its control socket, the
 * socket on which it waits for its plan, its cgroups. From then on the same code watches, judges
 * and ends a warm run as a cold one, and the cell dies with the process that holds it.
 *
 * Runs: monitor, client. Needs: write access to the cell's cgroups.
 */
#ifndef GLOVEBOX_CLIENT_LEASE_H
#define GLOVEBOX_CLIENT_LEASE_H

#include "base/err.h"
#include "client/ask.h"
#include "sandbox/sandbox.h"

struct lease {
	int pidfd;
	int control;
	int start;
	int users;               /* user namespace that maps its ids, for an ordinary user; -1 */
	struct cgroup_ref group; /* owned */
	uint32_t host_uid;
	uint32_t host_gid;
	uint64_t nofile; /* hard limit that the cell inherits */
	bool is_session; /* its pid 1 becomes a door (sandbox/door.h); else it is locked at once */
	bool outdated;   /* the host has replaced files that it mounts from its nursery */
	unsigned skip;   /* words of argv that we implement */
	uint64_t timeout_ms; /* the time limit in these words; 0: none */
};

static inline struct lease lease_none(void)
{
	return (struct lease){.pidfd = -1, .control = -1, .start = -1, .users = -1};
}

enum lease_use {
	LEASE_RUN,
	LEASE_SESSION, /* an interpreter instead of a command line: argv is not examined */
	LEASE_LOOK,    /* like a run, but only explain it: take no cell */
};

/*
 * lease_ask_start, lease_ask_end - ask a supervisor for a cell that fits an opened sandbox, with
 * ask_step() in between.
 *
 * @where   the supervisor (wire/runtime_dir.h); NULL: the user's own.
 * @s       outlives the request, as does @out.
 * @out     on success owns its descriptors: s->source points to it, s->start and s->map are set,
 *          and s->start() or lease_drop() ends it.
 * @reason  when 1 is returned, why it has no cell; a literal, or text in `e`.
 *
 * They return 0; 1: this run must start cold (from lease_ask_start(): without a request); -1: the
 * supervisor is busy or broken (*e).
 */
int lease_ask_start(const char *where, struct sandbox *s, enum lease_use use, struct lease *out,
		    struct ask **ask, const char **reason);
int lease_ask_end(struct sandbox *s, struct lease *out, struct ask *ask, const char **reason,
		  struct err *e);

/*
 * lease_check - whether the cell still fits after sandbox_plan(). Returns NULL, or why it does not.
 */
const char *lease_check(const struct sandbox *s, const struct lease *lease);

/* Release the cell: kill it unused. Safe on lease_none(), and after the run. */
void lease_drop(struct lease *lease);

#endif
