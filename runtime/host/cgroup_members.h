/*
 * cgroup_members - the processes of a group, known by every thread of theirs.
 *
 * A process lives as long as one of its threads. When its first thread has ended, what /proc says
 * under its number is of a zombie, which on v1 belongs to the root group: who looks at that alone
 * overlooks the process (cgroup_exit(), kernel/cgroup/cgroup.c). So threads are listed, and a
 * process is a member because a thread of it is.
 *
 * Runs: supervisor, clients. Needs: to read /proc, and to signal what is in the group.
 */
#ifndef GLOVEBOX_HOST_CGROUP_MEMBERS_H
#define GLOVEBOX_HOST_CGROUP_MEMBERS_H

#include <sys/types.h>

/*
 * cgroup_each_process - hand each process of a group to `act`, once.
 *
 * @dir    a directory of the group; borrowed.
 * @group  its name, by which a thread is known to belong to it still: a number may be somebody
 *         else's by now.
 * @act    @pidfd is borrowed, and held the process before the look that found it in the group.
 * Returns how many for which `act` returned 1; -1 when the list cannot be read.
 */
int cgroup_each_process(int dir, const char *group,
			int (*act)(void *context, pid_t process, int pidfd), void *context);

/*
 * cgroup_each_thread - hand the number of each thread to `act`, if there is one; its first failure,
 * less than 0, ends that.
 * Returns how many are listed; -1 when `act` failed or the list cannot be read.
 */
int cgroup_each_thread(int dir, int (*act)(int to, pid_t thread), int to);

/*
 * cgroup_kill - SIGKILL to every process of a group. It does not wait for their end.
 *
 * Pid 1 of a sandbox would take all others along, but only once it has the processor, which the
 * others may keep from it. On v2 the kernel does this in one step. On v1 the group can start no
 * process meanwhile, nor ever again.
 *
 * @dirs  `count` directories of the group; borrowed. None: nothing is done.
 */
void cgroup_kill(const char *group, const int *dirs, unsigned count);

#endif
