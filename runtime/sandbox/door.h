/*
 * door - start programs in a sandbox that stays, or in a session, through its pid 1
 * (inside/door.h).
 *
 * Runs: monitor; a client that has the control socket of a session. Needs: nothing.
 */
#ifndef GLOVEBOX_SANDBOX_DOOR_H
#define GLOVEBOX_SANDBOX_DOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "spec/spec.h"

struct child;       /* sandbox/spawn.h */
struct inside_plan; /* inside/plan.h */

/* A door; all borrowed. */
struct door {
	const struct inside_plan *plan; /* of the sandbox */
	int control;                    /* the socket of pid 1 */
	uint32_t host_uid;              /* of its programs, on the host */
	bool is_shared; /* several have the socket: the end of each program is reported on one of
			   its own */
};

/* A further program, as a client asks for it. Its user and its limits are the sandbox's. */
struct door_wish {
	struct string_list argv; /* borrowed; at least one */
	struct string_list env;  /* borrowed; KEY=VALUE, over the variables of the sandbox */
	const char *workdir;     /* absolute; NULL: the sandbox's */
	bool interactive;        /* it gets an input */
	bool tty;                /* one pty for its three streams, of this size */
	uint16_t rows;
	uint16_t columns;
	bool mute;   /* no streams: the sandbox's /dev/null */
	int program; /* borrowed; executed in place of argv[0], which is DOOR_PROGRAM; -1 */
	/*
	 * Borrowed: its streams in place of pipes, for a program of ours; all three, or the first
	 * alone. NULL: none.
	 */
	const int *streams;
};

/* Refuse a wish without a command, with a relative directory, or a variable that sets nothing. */
int door_check(const struct door_wish *wish, struct err *e);

/*
 * door_start_first - order the program of the sandbox's plan.
 * @child  from child_start(), which made its streams; it gets its report socket.
 */
int door_start_first(const struct inside_plan *plan, struct child *child, struct err *e);

/*
 * door_exec - order a further program.
 *
 * @exec  its number: any that does not run; not 0.
 * @out   child_none(). It gets what belongs to the program: input, output, `reports`, on which the
 *        program reports an error and sends the master of its pty, and which ends when it has been
 *        executed or has ended, and of a shared door `ends`. End with child_end() on both paths.
 * Errors: ERR_BUSY: pid 1 does not read its orders. ERR_GONE: it has ended.
 */
int door_exec(const struct door *door, uint32_t exec, const struct door_wish *wish,
	      struct child *out, struct err *e);

/* An error that a program has reported: say which limit it was, if it was one of ours. */
void door_explain(struct err *e);

/*
 * door_open - make pid 1 of a session the door of its cell. It answers with REPORT_LOCKED.
 *
 * @of    the plan of the session.
 * @root  that of its program, from REPORT_FD_ROOT; borrowed.
 * @out   owned: a plan for door_map().
 */
int door_open(const struct inside_plan *of, int control, int root, int *out, struct err *e);

/*
 * door_map - the plan of a session, as door_open() has written it; one at a time.
 * Returns NULL: another build wrote it, or it cannot be mapped. End it with door_unmap().
 */
struct inside_plan *door_map(int fd, uint64_t *bytes, struct err *e);
void door_unmap(uint64_t bytes);

#endif
