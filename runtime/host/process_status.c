/*
 * process_status - one field of a process, from the kernel.
 */
#include "host/process_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
