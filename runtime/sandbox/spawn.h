/*
 * spawn - clone the child that becomes pid 1 of a sandbox, and exchange messages with it.
 *
 * One clone3 makes all namespaces except the network (see inside/loopback.c); on v2 the child is
 * born in its cgroup. The child runs inside_main() and does not return here.
 *
 * Runs: monitor, supervisor; streams, receive and end in clients, too. Needs: root, or user
 * namespaces; child_end() nothing.
 */
#ifndef GLOVEBOX_SANDBOX_SPAWN_H
#define GLOVEBOX_SANDBOX_SPAWN_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"
#include "cgroup/cgroup.h"
#include "inside/plan.h"
#include "namespace/idmap.h"

/*
 * control, three streams, our pidfd, the network's, and two more: a nursery's channel, or the
 * sockets for reports of a program behind the door, and of its end
 */
#define CHILD_THEIRS  8
#define CHILD_STREAMS 1 /* and two more */

struct child {
	pid_t pid;                /* 0: none */
	int pidfd;                /* owned */
	int control;              /* owned; our end of the control socket */
	int input;                /* owned; write end of the program's stdin; -1: none */
	int theirs[CHILD_THEIRS]; /* owned; the child's ends, shared with it until REPORT_PARTED */
	int reports;              /* owned; our ends of those sockets (sandbox/door.h); -1 */
	int ends;
	int output[2];      /* owned; read ends of stdout and stderr; filled later for a pty */
	int counters;       /* owned; of a cell without a network (sandbox/network_tried.h); -1 */
	bool waits;         /* its program's ends of the streams stay ours until it is ordered */
	bool adopted;       /* not our child: a nursery made the cell */
	uint64_t end_by_us; /* see child_is_ending(); 0: not ending */
};

/* No child: owns nothing. */
static inline struct child child_none(void)
{
	struct child none = {
		.pidfd = -1,
		.control = -1,
		.input = -1,
		.reports = -1,
		.ends = -1,
		.output = {-1, -1},
		.counters = -1
        };

	for (int i = 0; i < CHILD_THEIRS; i++)
		none.theirs[i] = -1;
	return none;
}

/*
 * child_start - make streams and namespaces; pid 1 then waits for admission.
 *
 * It shares our descriptor table until then (inside/admission.c).
 *
 * @plan    gets its descriptors here; its network's is replaced by a copy.
 * @cgroup  v2: from cgroup_open(), the child is born in it. v1: not opened yet.
 * @want_stdin  the program gets a pipe rather than /dev/null.
 * @out     on success owns the child; end with child_end().
 *
 * Errors: ERR_UNSUPPORTED when user namespaces are not available (the text has
 * the remedy), else ERR_SYSTEM. Nothing is left behind.
 */
int child_start(struct inside_plan *plan, const struct cgroup *cgroup, const struct idmap *map,
		bool want_stdin, struct child *out, struct err *e);

/*
 * child_streams - make the pipes of a program: the first half of child_start().
 * @out  on success owns the program's ends in plan->stdio (also in out->theirs) and ours.
 */
int child_streams(struct inside_plan *plan, const struct idmap *map, bool want_stdin,
		  struct child *out, struct err *e);

/*
 * child_admit - map the child's ids, name the cgroups to join, and let it continue.
 * @cgroup  from cgroup_open().
 */
int child_admit(const struct child *c, const struct cgroup *cgroup, const struct idmap *map,
		struct err *e);

/* Close its ends in our table: it now has its own table (REPORT_PARTED). */
void child_parted(struct child *c);

/*
 * Receive one report, from pid 1 on `control` or its program on `reports`. 1: *r is filled, and *fd
 * is an attached descriptor (owned) or -1; if we lack room for an attached one, the report becomes
 * an error of ours (ERR_LIMIT). 0: end of file.
 */
int child_receive(int socket, struct report *r, int *fd);

/*
 * Send one order to pid 1; @value as in inside/plan.h.
 * @control  of a child or a session; borrowed. -1: it is gone; nothing is sent.
 * Returns 0, or -1: pid 1 is gone, or does not read its orders.
 */
int child_order(int control, enum order_kind kind, int value);

/* The same for a further program of a sandbox that stays. */
int child_order_exec(int control, enum order_kind kind, int value, uint32_t exec);

/*
 * child_interrupt - have pid 1 send SIGINT to the program's process group; child_has_interrupted()
 * tells when it has. Until then the signal may arrive at any time.
 */
void child_interrupt(int control);
bool child_has_interrupted(int control);

/* Send SIGKILL to pid 1; the kernel then kills everything in its pid namespace. */
void child_kill(struct child *c);

/*
 * A killed process may be stuck in the kernel (a dead network file system). We wait at most this
 * long for its end and the removal of its control group together.
 */
#define CHILD_END_MS 10000

/*
 * Start the CHILD_END_MS; later calls change nothing. child_kill() and child_wait() call it, too.
 */
void child_is_ending(struct child *c);

/* Their end (monotonic); UINT64_MAX: they have not been started. */
uint64_t child_end_by(const struct child *c);

/* Wait for its end until child_end_by(), and release it. @usage: of our own child; may be NULL. */
void child_wait(struct child *c, struct rusage *usage);

/* Kill, reap, close. Safe on child_none() and when called twice. */
void child_end(struct child *c);

#endif
