/*
 * door - pid 1 of a sandbox that stays: it starts each program that the monitor orders.
 */
#include "inside/door.h"

#include <errno.h>
#include <signal.h>

#include "inside/confine.h"
#include "inside/exec.h"
#include "inside/plan_map.h"
#include "inside/report.h"
#include "inside/sys.h"

#define NOT_STARTED (125 << 8) /* a wait status: exit code 125 */

struct door_program {
	uint32_t exec;
	long pid;    /* 0: no program */
	int ends_fd; /* owned; -1: its end is reported on the control socket */
};

static struct door_program programs[DOOR_PROGRAMS];

static struct door_program *door_find(uint32_t exec)
{
	for (unsigned i = 0; i < DOOR_PROGRAMS; i++) {
		if (programs[i].pid && programs[i].exec == exec)
			return &programs[i];
	}
	return NULL;
}

static struct door_program *door_free_place(void)
{
	for (unsigned i = 0; i < DOOR_PROGRAMS; i++) {
		if (!programs[i].pid)
			return &programs[i];
	}
	return NULL;
}

/* Where dup3() to a standard stream or the end of other descriptors does not reach. */
static int door_raise(const struct packet *packet, unsigned i)
{
	return i < packet->fd_count ? packet_raise(packet->fds[i]) : -1;
}

static void door_take_descriptors(struct inside_plan *plan, const struct order *order,
				  const struct packet *packet)
{
	unsigned next = DOOR_MORE;

	plan->channel_fd = order->program_count ? door_raise(packet, next++) : -1;
	for (unsigned i = 0; i < 3; i++)
		plan->stdio[i] = order->stdio_count < 3 - i ? -1 : door_raise(packet, next++);
}

static bool door_has_all(const struct order *order, const struct packet *packet)
{
	return order->program_count <= 1 && order->stdio_count <= 3 && order->end_count <= 1 &&
	       packet->fd_count ==
		       DOOR_MORE + order->program_count + order->stdio_count + order->end_count;
}

/* The last descriptor becomes pid 1's. Returns it, or -1. */
static int door_take_end(const struct order *order, struct packet *packet)
{
	return order->end_count ? packet->fds[--packet->fd_count] : -1;
}

/* Runs: the program-to-be, a copy of pid 1. */
__attribute__((noreturn)) static void door_become(const struct order *order,
						  const struct packet *packet)
{
	const struct inside_plan reports = {.control_fd = door_raise(packet, DOOR_REPORTS)};
	struct inside_plan *plan = plan_map(packet->fds[DOOR_PLAN], order->plan_bytes, NULL, 0);
	struct report r = {0};

	if (!plan) {
		inside_fail(&r.error, -ENOMEM, "map the program's plan", NULL);
		inside_give_up(&reports, &r);
	}
	plan->control_fd = reports.control_fd;
	plan->is_cell = false; /* no libc has handlers here */
	door_take_descriptors(plan, order, packet);
	if (!confine_run(exec_steps, plan, &r.error))
		inside_exec(plan, &r.error);
	inside_give_up(plan, &r);
}

static void door_report_end(int socket, uint32_t exec, int status, const struct rusage *usage)
{
	struct report r = {.kind = REPORT_ENDED, .exec = exec, .value = status};

	if (usage)
		r.usage = *usage;
	sys_write(socket, &r, sizeof(r));
}

static void door_refuse(const struct inside_plan *plan, const struct order *order,
			const struct packet *packet, long result)
{
	struct report r = {.kind = REPORT_ERROR};

	inside_fail(&r.error, result, "start a program", NULL);
	r.error.no_process = result == -EAGAIN;
	if (packet->fd_count)
		sys_write(packet->fds[DOOR_REPORTS], &r, sizeof(r));
	if (!order->end_count)
		door_report_end(plan->control_fd, order->exec, NOT_STARTED, NULL);
}

long door_start(const struct inside_plan *plan, const struct order *order, struct packet *packet)
{
	struct door_program *place = door_free_place();
	long pid = -EUSERS;
	int ends_fd = -1;

	if (!door_has_all(order, packet))
		pid = -EBADMSG;
	else
		ends_fd = door_take_end(order, packet);
	if (place && pid == -EUSERS)
		pid = sys5(__NR_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0)
		door_become(order, packet);
	if (pid < 0) {
		door_refuse(plan, order, packet, pid);
		sys_close(ends_fd);
	} else {
		*place = (struct door_program){order->exec, pid, ends_fd};
	}
	packet_close(packet);
	return pid < 0 ? 0 : pid;
}

long door_pid(uint32_t exec)
{
	const struct door_program *p = door_find(exec);

	return p ? p->pid : 0;
}

void door_ended(const struct inside_plan *plan, long pid, int status, const struct rusage *usage)
{
	for (unsigned i = 0; i < DOOR_PROGRAMS; i++) {
		struct door_program *p = &programs[i];

		if (p->pid != pid)
			continue;
		p->pid = 0;
		if (p->exec != DOOR_FIRST)
			door_report_end(p->ends_fd < 0 ? plan->control_fd : p->ends_fd, p->exec,
					status, usage);
		if (p->ends_fd >= 0)
			sys_close(p->ends_fd);
		return;
	}
}
