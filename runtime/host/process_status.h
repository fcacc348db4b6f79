/*
 * process_status - one field of a process, from the kernel.
 *
 * Runs: monitor, client, supervisor. Needs: to see the process in /proc.
 */
#ifndef GLOVEBOX_HOST_PROCESS_STATUS_H
#define GLOVEBOX_HOST_PROCESS_STATUS_H

#include <sys/types.h>

/*
 * process_status_number - the last number of a field of /proc/PID/status (proc(5)).
 *
 * @field  with its colon: "Tgid:" is the process that a thread belongs to, "NSpid:" ends with the
 *         pid in the innermost namespace.
 * Returns 0 when the process is gone, or hidden from us.
 */
pid_t process_status_number(pid_t pid, const char *field);

#endif
