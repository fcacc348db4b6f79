/*
 * door - pid 1 of a sandbox that stays: it starts each program that the monitor orders.
 *
 * Nothing of ours enters a sandbox from outside. Pid 1 is ours, inside, confined as its programs
 * are (door_steps), cannot be killed or inspected from inside, and alone holds the control socket.
 * It forks, and the copy applies exec_steps and executes.
 *
 * It does not fork as vfork does: foreign code of the same user can stop the copy before its
 * execve, and pid 1 would wait for it.
 *
 * The copy reports on a socket of its own: an error, the master of a pty, and by the end of the
 * socket that the program has been executed or is gone. So no copy ever uses the control socket.
 * Pid 1 reports there each program that has ended (REPORT_ENDED). The sandbox ends with program 0.
 *
 * Pid 1 of a session is its door as well (cell_init.c): it has the Python of the session as a child
 * that it did not start by an order.
 *
 * Runs: pid 1, after door_steps. Needs: nothing.
 */
#ifndef GLOVEBOX_INSIDE_DOOR_H
#define GLOVEBOX_INSIDE_DOOR_H

#include <sys/resource.h>

#include "inside/packet.h"
#include "inside/plan.h"

#define DOOR_FIRST    0   /* the program with which the sandbox ends */
#define DOOR_PROGRAMS 256 /* that run at once, with the first */

/*
 * The descriptors of ORDER_EXEC; then the program's own, if it has one, its streams, and the socket
 * for the report of its end, if that is not the control socket: those who share a session's control
 * socket would take each other's reports.
 */
enum door_fd { DOOR_REPORTS, DOOR_PLAN, DOOR_MORE };

/* How a program that comes as a descriptor is executed: argv[0]. */
#define DOOR_PROGRAM "/proc/self/fd/3"

/*
 * door_start - start a program, by ORDER_EXEC.
 *
 * @packet  its descriptors; closed.
 * Returns its pid. 0: not started; the reason is on its report socket, and of a further program
 * an end with exit code 125 on the control socket, unless it has a socket for that.
 */
long door_start(const struct inside_plan *plan, const struct order *order, struct packet *packet);

/* The pid of a program that runs; 0: it does not. */
long door_pid(uint32_t exec);

/* The descriptors of ORDER_DOOR. */
enum door_opening_fd { DOOR_OPENING_PLAN, DOOR_OPENING_ROOT, DOOR_OPENING_FDS };

/* A child of pid 1 has ended and is reaped: if it is a further program, report that. */
void door_ended(const struct inside_plan *plan, long pid, int status, const struct rusage *usage);

#endif
