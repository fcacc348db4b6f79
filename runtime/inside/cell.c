/*
 * cell - a sandbox that begins as a copy of a warm Python instead of as an exec.
 */
#include "inside/cell.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "inside/confine.h"
#include "inside/init.h"
#include "inside/sys.h"

#define CONTROL_FD 3  /* of cell-init */
#define RAISED_FD  16 /* descriptors of ours are moved out of the way of 0 to 3 */

#define NAMESPACES (CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS)

/* -- messages ----------------------------------------------------------------------- */

struct packet {
	struct msghdr header;
	struct iovec body;
	int fds[CELL_MAX_FDS];
	unsigned fd_count;
	union {
		char bytes[CMSG_SPACE(CELL_MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
};

/* One message of exactly `size` bytes and its descriptors. 1, 0 at the end, or a negative errno. */
static long receive(int socket, void *body, size_t size, struct packet *p)
{
	struct cmsghdr *c;
	long n;

	p->body = (struct iovec){body, size};
	p->header = (struct msghdr){.msg_iov = &p->body,
				    .msg_iovlen = 1,
				    .msg_control = p->control.bytes,
				    .msg_controllen = sizeof(p->control.bytes)};
	p->fd_count = 0;
	do
		n = sys3(__NR_recvmsg, socket, &p->header, MSG_CMSG_CLOEXEC);
	while (n == -EINTR);
	if (n <= 0)
		return n;
	c = CMSG_FIRSTHDR(&p->header);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		p->fd_count = (unsigned)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
	for (unsigned i = 0; i < p->fd_count; i++)
		p->fds[i] = ((const int *)CMSG_DATA(c))[i];
	return n == (long)size && !(p->header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) ? 1 : -EBADMSG;
}

static void close_all(const struct packet *p)
{
	for (unsigned i = 0; i < p->fd_count; i++)
		sys_close(p->fds[i]);
}

/* -- making a cell (nursery, and pid 1 in the nursery's memory) ------------------------ */

struct birth {
	const struct packet *packet;
	const struct cell_call *call;
	const struct cell_fork *how;
};

/* Become cell-init, with the control socket as descriptor 3 and nothing else. */
__attribute__((noreturn)) static void become_init(const struct inside_plan *plan,
						  const char *init_path)
{
	static char *const argv[] = {(char *)"init", NULL};
	static char *const envp[] = {NULL};
	unsigned long child_ended = 1ul << (SIGCHLD - 1);
	struct report r = {0};
	long n;

	sys4(__NR_rt_sigprocmask, SIG_SETMASK, &child_ended, NULL, sizeof(child_ended));
	n = sys3(__NR_dup3, plan->control_fd, CONTROL_FD, 0);
	if (n >= 0)
		n = sys3(__NR_close_range, CONTROL_FD + 1, ~0u, 0);
	if (n >= 0)
		n = sys3(__NR_execve, init_path, argv, envp);
	inside_fail(&r.error, n, "run", init_path);
	inside_give_up(plan, &r);
}

/* As os.fork(). In the child the memory is its own from here on. */
static long fork_python(const struct cell_fork *how)
{
	long pid;

	how->before();
	pid = how->fork();
	if (pid == 0)
		how->after_child();
	else
		how->after_parent();
	return pid;
}

/*
 * Runs: pid 1 of the cell, on the nursery's stack and memory, which sleeps. It may
 * only call down from here, and leave everything as it was found. The program that
 * it forks has a stack of its own, and returns.
 */
__attribute__((noinline)) static void be_born(const struct birth *b)
{
	struct inside_plan plan = {.control_fd = b->packet->fds[0],
				   .oom_score_adj = SANDBOX_OOM_SCORE};
	struct order admitted = {.cgroup_count = b->call->cgroup_count};
	struct report r = {0};
	long n;

	for (unsigned i = 0; i < admitted.cgroup_count; i++)
		admitted.cgroup_fds[i] = b->packet->fds[2 + i];
	n = inside_join_cgroups(&admitted);
	if (n < 0)
		inside_fail(&r.error, n, "join the cgroups", NULL);
	if (n < 0 || confine_run(cell_init_steps, &plan, &r.error))
		inside_give_up(&plan, &r);
	n = fork_python(b->how);
	if (n == 0)
		return;
	if (n != CELL_PROGRAM) {
		inside_fail(&r.error, -ECHILD, "fork the program", NULL);
		inside_give_up(&plan, &r);
	}
	become_init(&plan, b->how->init_path);
}

int cell_make(int socket, const struct cell_fork *how, struct cell_place *place)
{
	struct packet packet;
	struct cell_call call;
	struct birth birth = {&packet, &call, how};
	long pid;

	if (receive(socket, &call, sizeof(call), &packet) <= 0)
		return CELL_END;
	if (call.cgroup_count > ORDER_MAX_CGROUPS || packet.fd_count != 2 + call.cgroup_count) {
		close_all(&packet);
		return CELL_END;
	}
	pid = sys5(__NR_clone, CLONE_VM | CLONE_VFORK | NAMESPACES | SIGCHLD, NULL, NULL, NULL,
		   NULL);
	if (pid == 0) {
		be_born(&birth);
		*place = (struct cell_place){packet.fds[0], packet.fds[1]};
		sys_close(socket); /* it would hide the nursery's end */
		return CELL_BORN;
	}
	close_all(&packet); /* where nothing was made, the supervisor sees the end of them */
	return CELL_ANOTHER;
}

/* -- entering it (the program) ------------------------------------------------------- */

static size_t plan_mapped; /* bytes */

static struct inside_plan *map_plan(int fd, uint64_t size)
{
	long n = sys_call6(__NR_mmap, (long)CELL_PLAN_ADDRESS, (long)size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);

	if (n != (long)CELL_PLAN_ADDRESS)
		return NULL;
	plan_mapped = size;
	return (struct inside_plan *)CELL_PLAN_ADDRESS;
}

/* A descriptor of ours must not be where a stream is about to be put. */
static int out_of_the_way(int fd)
{
	long n = sys3(__NR_fcntl, fd, F_DUPFD_CLOEXEC, RAISED_FD);

	sys_close(fd);
	return (int)n;
}

/* The numbers in the plan become ours. */
static void place_descriptors(struct inside_plan *plan, const struct cell_start *start,
			      const struct packet *p)
{
	const int *next = p->fds + 1;
	struct root_op *ops = (struct root_op *)plan->ops;

	for (int i = 3 - (int)start->stdio_count; i < 3 && start->stdio_count; i++)
		plan->stdio[i] = out_of_the_way(*next++);
	plan->channel_fd = start->channel_count ? out_of_the_way(*next++) : -1;
	for (size_t i = 0; i < plan->op_count; i++) {
		if (ops[i].tree_fd >= 0)
			ops[i].tree_fd = next[ops[i].tree_fd];
	}
}

static long receive_plan(int socket, struct cell_start *start, struct packet *p,
			 struct inside_plan **out)
{
	long n;

	*start = (struct cell_start){0};
	n = receive(socket, start, sizeof(*start), p);

	if (n == 0)
		sys_exit(0); /* never needed */
	if (n > 0 &&
	    (start->stdio_count > 3 || start->channel_count > 1 ||
	     p->fd_count != 1 + start->stdio_count + start->channel_count + start->tree_count))
		n = -EBADMSG;
	if (n < 0)
		return n;
	*out = map_plan(p->fds[0], start->plan_bytes);
	return *out ? 0 : -ENOMEM;
}

/* One string after the other, as the kernel lays them out: list[0] up to the end of the last. */
static void span(char *const *list, unsigned long *start, unsigned long *end)
{
	*start = *end = 0;
	for (; *list; list++) {
		if (!*start)
			*start = (unsigned long)*list;
		*end = (unsigned long)*list + sys_strlen(*list) + 1;
	}
}

/*
 * Have /proc/self/cmdline and environ show the program's, from a page that stays when
 * the plan goes. Without CONFIG_CHECKPOINT_RESTORE they go on showing the nursery's.
 */
static void show_command_line(const struct inside_plan *plan, struct prctl_mm_map *memory)
{
	unsigned long start[2];
	unsigned long end[2];
	unsigned long size;
	char *copy;

	span(plan->argv, &start[0], &end[0]);
	span(plan->envp, &start[1], &end[1]);
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

void cell_enter(const struct cell_place *place, struct prctl_mm_map *memory, char *const **out_argv,
		char *const **out_envp)
{
	struct inside_plan without = {.control_fd = place->control};
	struct inside_plan *plan = &without;
	struct cell_start start;
	struct packet packet;
	struct report r = {0};
	long n;

	n = receive_plan(place->start, &start, &packet, &plan);
	if (n < 0) {
		inside_fail(&r.error, n, "receive the plan of a run", NULL);
		inside_give_up(&without, &r);
	}
	plan->is_cell = true;
	plan->control_fd = out_of_the_way(place->control);
	place_descriptors(plan, &start, &packet);
	show_command_line(plan, memory);
	if (confine_run(cell_steps, plan, &r.error))
		inside_give_up(plan, &r);
	if (confine_run(program_steps, plan, &r.error))
		inside_give_up(plan, &r);
	*out_argv = plan->argv;
	*out_envp = plan->envp;
	/* Where a cold start has execve: nobody is left to report to. */
	sys_close(plan->control_fd);
}

void cell_forget(void)
{
	sys2(__NR_munmap, CELL_PLAN_ADDRESS, plan_mapped);
}
