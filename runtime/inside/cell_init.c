/*
 * cell_init - pid 1 of a cell, after its execve: the whole program cell-init.
 *
 * It is static and without a libc, so that it is small and starts at once; its one descriptor is
 * CONTROL_FD, SIGCHLD is blocked. The first order says what the cell is for: one run, then pid 1
 * takes reaper_steps; or a session, then it enters the root of the session's program, takes
 * door_steps, and starts further programs (door.h). Foreign code runs after that: the program of a
 * run looks whether pid 1 has read the order behind it (cell.c), the client of a session waits for
 * REPORT_LOCKED.
 */
#include <poll.h>

#include "inside/cell.h"
#include "inside/confine.h"
#include "inside/door.h"
#include "inside/init.h"
#include "inside/packet.h"
#include "inside/plan_map.h"
#include "inside/report.h"
#include "inside/sys.h"

static void cell_init_confine(const struct inside_plan *plan, const struct step *steps)
{
	struct report r = {0};

	if (confine_run(steps, plan, &r.error))
		inside_give_up(plan, &r);
}

static void cell_init_report(const struct inside_plan *plan, enum report_kind kind)
{
	const struct report r = {.kind = kind};

	inside_report(plan, &r);
}

/*
 * Receive the first order, or exit at the end of the socket. Returns false if the program has ended
 * before that.
 */
static bool cell_init_await(const struct inside_plan *plan, struct order *order,
			    struct packet *packet)
{
	long program = sys2(__NR_pidfd_open, CELL_PROGRAM, 0);
	struct pollfd fds[] = {
		{plan->control_fd, POLLIN, 0},
		{(int)program,     POLLIN, 0},
	};
	long n;

	while (!fds[0].revents && !fds[1].revents)
		sys5(__NR_ppoll, fds, 2, NULL, NULL, 0);
	sys_close((int)program);
	if (!fds[0].revents)
		return false;
	n = packet_receive(plan->control_fd, order, sizeof(*order), packet);
	if (n <= 0)
		sys_exit(n ? 125 : 0);
	return true;
}

static void cell_init_become_door(struct inside_plan *self, const struct order *order,
				  const struct packet *packet)
{
	struct inside_plan *plan = NULL;
	struct report r = {0};

	if (packet->fd_count == DOOR_OPENING_FDS)
		plan = plan_map(packet->fds[DOOR_OPENING_PLAN], order->plan_bytes, NULL, 0);
	if (!plan) {
		inside_fail(&r.error, 0, "map the plan of a session", NULL);
		inside_give_up(self, &r);
	}
	plan->control_fd = self->control_fd;
	plan->root_fd = packet->fds[DOOR_OPENING_ROOT];
	cell_init_confine(plan, cell_door_steps);
	cell_init_confine(plan, door_steps);
	plan_unmap(order->plan_bytes);
	self->stays = true;
	cell_init_report(self, REPORT_LOCKED);
}

/* @words  argc and argv, as the kernel has left them on the stack */
__attribute__((noreturn, used)) static void cell_init_main(char *const *words)
{
	struct inside_plan plan = {
		.control_fd = CONTROL_FD,
		.is_cell = true,
#ifdef GLOVEBOX_TESTING
		.omit = words[2], /* cell_birth.c */
#endif
	};
	struct order order = {0};
	struct packet packet;

	(void)words;
	cell_init_confine(&plan, waiting_steps);
	cell_init_report(&plan, REPORT_PARTED);
	if (cell_init_await(&plan, &order, &packet) && order.kind == ORDER_DOOR)
		cell_init_become_door(&plan, &order, &packet);
	else
		cell_init_confine(&plan, reaper_steps);
	inside_reap(&plan, CELL_PROGRAM);
}

/* The kernel starts with the stack pointer aligned to 16; a function expects it 8 lower. */
#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\tmov %rsp, %rdi\n\tcall cell_init_main\n");
#else
__asm__(".globl _start\n_start:\n\tmov x0, sp\n\tbl cell_init_main\n");
#endif
