/*
 * cell - a sandbox that starts as a copy of a warm Python, without an exec.
 */
#include "inside/cell.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include "inside/confine.h"
#include "inside/memory_holder.h"
#include "inside/packet.h"
#include "inside/plan_map.h"
#include "inside/report.h"
#include "inside/sys.h"

/* Under load a cell is leased earlier than this, and preparing it does not pay. */
#define IDLE_NS 100000000
#define LOCK_NS 20000

static size_t plan_mapped; /* bytes */

/* Whether the start order has come within this time, or the supervisor has ended. */
static int cell_is_called(const struct cell_place *place, long wait_ns)
{
	struct pollfd start = {.fd = place->start, .events = POLLIN};
	struct timespec wait = {0, wait_ns};

	return sys5(__NR_ppoll, &start, 1, &wait, NULL, 0) != 0;
}

/* Only a hint, which delays no client: it stops as soon as the start order comes. */
static void cell_use_idle_time(const struct cell_place *place, const struct cell_pages *pages)
{
	long wait_ns = IDLE_NS;

	for (uint64_t i = 0; i < pages->count && !cell_is_called(place, wait_ns); i++) {
		const struct cell_range *range = &pages->ranges[i];

		sys3(__NR_madvise, range->start, range->bytes, range->advice);
		wait_ns = 0;
	}
}

/* Replace the numbers in the plan by our descriptors. */
static void cell_place_descriptors(struct inside_plan *plan, const struct cell_place *place,
				   const struct cell_start *start, const int *next)
{
	plan->control_fd = packet_raise(place->control);
	for (int i = 3 - (int)start->stdio_count; i < 3 && start->stdio_count; i++)
		plan->stdio[i] = packet_raise(*next++);
	plan->channel_fd = start->channel_count ? packet_raise(*next++) : -1;
	plan->egress_fd = start->egress_count ? packet_raise(*next++) : -1;
}

static long cell_receive_plan(const struct cell_place *place, struct inside_plan **out)
{
	struct packet p;
	struct cell_start start = {0};
	unsigned trees;
	long n = packet_receive(place->start, &start, sizeof(start), &p);

	if (n == 0)
		sys_exit(0); /* never needed */
	trees = 1 + start.stdio_count + start.channel_count + start.egress_count;
	if (n > 0 && (start.stdio_count > 3 || start.channel_count > 1 || start.egress_count > 1 ||
		      p.fd_count != trees + start.tree_count))
		n = -EBADMSG;
	if (n < 0)
		return n;
	plan_mapped = start.plan_bytes;
	*out = plan_map(p.fds[0], start.plan_bytes, p.fds + trees, start.tree_count);
	if (!*out)
		return -ENOMEM;
	cell_place_descriptors(*out, place, &start, p.fds + 1);
	return 0;
}

/*
 * The address range of a list of strings, which lie one after the other as the kernel lays them
 * out.
 */
static void cell_span(char *const *list, unsigned long *start, unsigned long *end)
{
	*start = *end = 0;
	for (; *list; list++) {
		if (!*start)
			*start = (unsigned long)*list;
		*end = (unsigned long)*list + sys_strlen(*list) + 1;
	}
}

/*
 * Make /proc/self/cmdline and environ show the program's, from a page that stays after the plan is
 * unmapped. Without CONFIG_CHECKPOINT_RESTORE they continue to show the nursery's.
 */
static void cell_show_command_line(const struct inside_plan *plan, struct prctl_mm_map *memory)
{
	unsigned long start[2];
	unsigned long end[2];
	unsigned long size;
	char *copy;

	cell_span(plan->argv, &start[0], &end[0]);
	cell_span(plan->envp, &start[1], &end[1]);
	size = end[0] - start[0] + end[1] - start[1];
	copy = (char *)sys_call6(__NR_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if ((unsigned long)copy > -4096ul)
		return;
	memory->arg_start = (unsigned long)copy;
	for (unsigned long i = start[0]; i < end[0]; i++)
		*copy++ = *(const char *)i;
	memory->arg_end = memory->env_start = (unsigned long)copy;
	for (unsigned long i = start[1]; i < end[1]; i++)
		*copy++ = *(const char *)i;
	memory->env_end = (unsigned long)copy;
	memory->brk = (unsigned long)sys1(__NR_brk, 0);
	sys5(__NR_prctl, PR_SET_MM, PR_SET_MM_MAP, memory, sizeof(*memory), 0);
}

/*
 * Pid 1 confines itself by its first order, and reads the next one afterwards. It has done so by
 * now, or is about to: the client sends both before the plan.
 */
static int cell_await_lock(const struct inside_plan *plan, struct err *e)
{
	int unread = 0;
	long n;

	while (!(n = sys3(__NR_ioctl, plan->control_fd, FIONREAD, &unread)) && unread) {
		struct timespec wait = {0, LOCK_NS};

		sys5(__NR_ppoll, NULL, 0, &wait, NULL, 0);
	}
	return n < 0 ? inside_fail(e, n, "wait for pid 1", NULL) : 0;
}

void cell_enter(const struct cell_place *place, const struct cell_fork *how,
		struct prctl_mm_map *memory, char *const **out_argv, char *const **out_envp)
{
	struct inside_plan without = {.control_fd = place->control, .egress_fd = -1};
	struct inside_plan *plan = &without;
	struct report r = {0};
	long n;

	cell_use_idle_time(place, &how->likely);
	n = cell_receive_plan(place, &plan);
	if (n < 0) {
		inside_fail(&r.error, n, "receive the plan of a run", NULL);
		inside_give_up(&without, &r);
	}
	cell_show_command_line(plan, memory);
	if (confine_run(cell_steps, plan, &r.error) || cell_await_lock(plan, &r.error) ||
	    confine_run(program_steps, plan, &r.error))
		inside_give_up(plan, &r);
	memory_holder_permit(plan->may_end_early);
	*out_argv = plan->argv;
	*out_envp = plan->envp;
	/* A cold start executes the program here: from now on errors cannot be reported. */
	sys_close(plan->control_fd);
}

void cell_forget(void)
{
	plan_unmap(plan_mapped);
}
