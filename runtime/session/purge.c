/*
 * purge - kill the processes of a session's old state, except waiting checkpoints.
 */
#include "session/purge.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "cgroup/cgroup_members.h"
#include "host/process_status.h"
#include "sandbox/spawn.h"

static uint32_t purge_pid_inside(pid_t process)
{
	return (uint32_t)process_status_number(process, "NSpid:");
}

/* The start time of a process, field 22 of its stat line (proc(5)); 0: it is gone. */
static uint64_t purge_start_of(pid_t process)
{
	char path[64];
	char text[1024];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
	if (io_peek(AT_FDCWD, path, text, sizeof(text)))
		return 0;
	at = strrchr(text, ')'); /* end of its name, field 2 */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

/* -- one process ----------------------------------------------------------------------------- */

struct sought {
	uint32_t pid;
	uint64_t start;
};

static int purge_note_start(void *context, pid_t process, int pidfd)
{
	struct sought *sought = context;

	(void)pidfd;
	if (purge_pid_inside(process) != sought->pid)
		return 0;
	sought->start = purge_start_of(process);
	return 1;
}

uint64_t purge_find_start(const struct session *s, uint32_t pid)
{
	struct sought sought = {.pid = pid};

	(void)cgroup_each_process(cgroup_processes(&s->group), s->group.name, purge_note_start,
				  &sought);
	return sought.start;
}

static int purge_wake_one(void *context, pid_t process, int pidfd)
{
	const struct sought *sought = context;

	if (purge_pid_inside(process) == sought->pid)
		syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, NULL, 0);
	return 0;
}

void purge_wake(const struct session *s, uint32_t pid)
{
	struct sought sought = {.pid = pid};

	(void)cgroup_each_process(cgroup_processes(&s->group), s->group.name, purge_wake_one,
				  &sought);
}

/* -- all of them ----------------------------------------------------------------------------- */

static bool purge_is_kept(const struct purge *p, pid_t process, uint32_t inside)
{
	for (unsigned i = 0; i < p->kept; i++) {
		const struct session_checkpoint *checkpoint = &p->session->checkpoints[i];

		if (checkpoint->pid == inside && checkpoint->start == purge_start_of(process))
			return true;
	}
	return false;
}

/*
 * Kill checkpoints later than the restored one, too: code that is to be discarded made them, and
 * they could be anything. Returns 1 for a process that must go.
 */
static int purge_end_one(void *context, pid_t process, int pidfd)
{
	const struct purge *p = context;
	uint32_t inside = purge_pid_inside(process);
	int number = purge_is_kept(p, process, inside) ? SIGCONT : SIGKILL;

	if (inside <= 1) /* pid 1, or gone */
		return 0;
	syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0);
	return number == SIGKILL;
}

int purge_start(const struct session *session, unsigned kept, uint32_t to, struct purge *out,
		struct err *e)
{
	*out = (struct purge){.session = session, .kept = kept};
	if (child_order(session->fds[SESSION_CONTROL], ORDER_PROGRAM, (int)to))
		return err_set(e, ERR_BUSY, "the session takes no orders now: try again");
	for (unsigned i = 0; i < session->group.count; i++)
		out->is_held[i] = !io_peek(session->group.dirs[i], "pids.max", out->limits[i],
					   sizeof(out->limits[i])) &&
				  !io_put(session->group.dirs[i], "pids.max", "0");
	return 0;
}

bool purge_step(struct purge *p)
{
	const struct cgroup_ref *group = &p->session->group;

	return !cgroup_each_process(cgroup_processes(group), group->name, purge_end_one, p);
}

int purge_end(struct purge *p, struct err *e)
{
	int bad = 0;

	for (unsigned i = 0; i < p->session->group.count; i++) {
		if (p->is_held[i] && io_put(p->session->group.dirs[i], "pids.max", p->limits[i]))
			bad = err_sys(e, "let the session have processes again");
	}
	return bad;
}
