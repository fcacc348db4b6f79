/*
 * process_status - read the kernel's facts about a process.
 *
 * Runs: monitor, client, supervisor. Needs: to see the process in /proc.
 */
#ifndef GLOVEBOX_HOST_PROCESS_STATUS_H
#define GLOVEBOX_HOST_PROCESS_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * process_status_number - the last number of a field of /proc/PID/status (proc(5)).
 *
 * @field  with its colon: "Tgid:" is the process that a thread belongs to, "NSpid:" ends with the
 *         pid in the innermost namespace.
 * Returns 0 if the process is gone, or hidden from us.
 */
pid_t process_status_number(pid_t pid, const char *field);

/* The pid behind a pidfd (pidfd_open(2)), as our /proc numbers it; 0 or -1 if it is gone. */
pid_t process_status_behind(int pidfd);

/*
 * process_status_is_exiting - whether a thread is the last of its process, and in the middle of its
 * exit: it will not return to user mode (PF_EXITING; proc(5), /proc/PID/stat), and has released its
 * memory, to which the kernel writes on its behalf until then (exit_mm_release(): robust futexes,
 * which may lie in a file). False for a thread that is gone.
 */
bool process_status_is_exiting(pid_t thread);

/*
 * process_status_cpu_us - the CPU time of a process (clock_getcpuclockid(3)) and of its reaped
 * children (proc(5), /proc/PID/stat, in steps of 10 ms). 0 if it is gone.
 */
uint64_t process_status_cpu_us(pid_t pid);

#endif
