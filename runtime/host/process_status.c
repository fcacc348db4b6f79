/*
 * process_status - read the kernel's facts about a process.
 */
#include "host/process_status.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"

#define PF_EXITING 4 /* include/linux/sched.h */

pid_t process_status_number(pid_t pid, const char *field)
{
	char path[64];
	char line[256]; /* a piece of a longer line does not begin with a field's name */
	pid_t number = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && !number && fgets(line, sizeof(line), file)) {
		const char *last = strrchr(line, '\t');

		if (last && !strncmp(line, field, strlen(field)))
			number = (pid_t)strtol(last, NULL, 10);
	}
	if (file)
		fclose(file);
	return number;
}

static uint64_t process_status_own_cpu_us(pid_t pid)
{
	clockid_t clock;
	struct timespec t;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

pid_t process_status_behind(int pidfd)
{
	char path[64];
	char text[512];
	const char *line;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	if (io_peek(AT_FDCWD, path, text, sizeof(text)))
		return -1;
	line = strstr(text, "\nPid:");
	return line ? (pid_t)strtol(line + 5, NULL, 10) : -1;
}

/*
 * Read fields 3 to `last` of /proc/PID/stat as numbers, to out[3] and up. -1: the process is gone.
 */
static int process_status_fields(pid_t pid, int last, uint64_t *out)
{
	char path[64];
	char text[1024];
	char *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (io_peek(AT_FDCWD, path, text, sizeof(text)))
		return -1;
	p = strrchr(text, ')'); /* end of field 2, a name of any bytes */
	for (int field = 3; field <= last; field++) {
		p = p ? strchr(p + 1, ' ') : NULL;
		out[field] = p ? strtoull(p, NULL, 10) : 0;
	}
	return 0;
}

bool process_status_is_exiting(pid_t thread)
{
	enum { FLAGS = 9, THREADS = 20, SIZE = 23 }; /* field numbers */
	uint64_t fields[SIZE + 1];

	return !process_status_fields(thread, SIZE, fields) && fields[FLAGS] & PF_EXITING &&
	       fields[THREADS] <= 1 && !fields[SIZE];
}

uint64_t process_status_cpu_us(pid_t pid)
{
	enum { CUTIME = 16, CSTIME = 17 }; /* field numbers */
	uint64_t fields[CSTIME + 1];

	if (process_status_fields(pid, CSTIME, fields))
		return 0;
	return process_status_own_cpu_us(pid) +
	       (fields[CUTIME] + fields[CSTIME]) * 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
}
