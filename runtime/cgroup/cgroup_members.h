/*
 * cgroup_members - list and kill the processes of a group, found by their threads.
 *
 * A process lives as long as one of its threads. When its first thread has ended, /proc shows a
 * zombie under its number, which on v1 belongs to the root group: that entry alone would miss the
 * process (cgroup_exit(), kernel/cgroup/cgroup.c). So we list threads; a process is a member if one
 * of its threads is.
 *
 * Runs: monitor, client, supervisor. Needs: to read /proc, and to signal the group's processes.
 */
#ifndef GLOVEBOX_CGROUP_CGROUP_MEMBERS_H
#define GLOVEBOX_CGROUP_CGROUP_MEMBERS_H

#include <stdint.h>
#include <sys/types.h>

struct cgroup_ref;

/*
 * cgroup_each_process - pass each process of a group to `act`, once.
 *
 * @dir    a directory of the group; borrowed.
 * @group  its name. Checked for each thread, since the number may have been reused.
 * @act    @pidfd is borrowed; it was opened before the check that the process is in the group.
 * Returns the number of calls of `act` that returned 1; -1 when the list cannot be read. A negative
 * result of `act` ends the walk.
 */
int cgroup_each_process(int dir, const char *group,
			int (*act)(void *context, pid_t process, int pidfd), void *context);

/*
 * cgroup_each_thread - pass the number of each thread to `act`, if not NULL; stops at the first
 * negative result.
 * Returns how many are listed; -1 when `act` failed or the list cannot be read.
 */
int cgroup_each_thread(int dir, int (*act)(int to, pid_t thread), int to);

/*
 * cgroup_members_cpu_us - the CPU time of the group's processes and their reaped children, on v1,
 * where groups do not count it. Takes at most 20 ms. 0: unknown.
 */
uint64_t cgroup_members_cpu_us(const struct cgroup_ref *group);

/*
 * cgroup_kill - SIGKILL to every process of a group. Does not wait for their end.
 *
 * Killing only pid 1 would end all others, but not before pid 1 gets a CPU, which they may occupy.
 * On v2 the kernel kills the group in one step. On v1 we keep the group from forking meanwhile and
 * afterwards.
 */
void cgroup_kill(const struct cgroup_ref *group);

#endif
