/*
 * process_status - what the kernel says about a process.
 */
#include "host/process_status.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"

pid_t process_status_number(pid_t pid, const char *field)
{
	char path[64];
	char line[256]; /* a longer line ("Groups:") is read in pieces; none of them begins with a
			   field name */
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

uint64_t process_status_cpu_us(pid_t pid)
{
	enum { CUTIME = 16, CSTIME = 17 }; /* fields */
	char path[64];
	char text[1024];
	char *p;
	uint64_t ticks = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (io_peek(AT_FDCWD, path, text, sizeof(text)))
		return 0;
	p = strrchr(text, ')'); /* the end of field 2, a name of any bytes */
	for (int field = 3; p && field <= CSTIME; field++) {
		p = strchr(p + 1, ' ');
		if (p && field >= CUTIME)
			ticks += strtoull(p, NULL, 10);
	}
	return process_status_own_cpu_us(pid) + ticks * 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
}
