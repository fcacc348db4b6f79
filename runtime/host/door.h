/*
 * door - start programs in a sandbox that stays, through its pid 1 (inside/door.h).
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_DOOR_H
#define GLOVEBOX_HOST_DOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "spec/spec.h"

struct child;       /* host/spawn.h */
struct idmap;       /* host/idmap.h */
struct inside_plan; /* inside/plan.h */

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
};

/*
 * door_start_first - order the program of the sandbox's plan.
 * @child  from child_start(), which made its streams; it gets its report socket.
 */
int door_start_first(const struct inside_plan *plan, struct child *child, struct err *e);

/*
 * door_exec - order a further program.
 *
 * @of, @map  of the sandbox.
 * @control  of pid 1; borrowed.
 * @exec     its number: any that does not run; not 0.
 * @out      child_none(). It gets what belongs to the program: input, output, and `reports`, on
 * which the program reports an error and sends the master of its pty, and which ends when it has
 *           been executed or has ended. End with child_end() on both paths.
 * Errors: ERR_BUSY: pid 1 does not read its orders.
 */
int door_exec(const struct inside_plan *of, const struct idmap *map, int control, uint32_t exec,
	      const struct door_wish *wish, struct child *out, struct err *e);

#endif
