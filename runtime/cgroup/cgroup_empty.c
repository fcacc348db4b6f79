/*
 * cgroup_empty - move the processes of a cgroup v2 group into a child group.
 */
#include "cgroup/cgroup_empty.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/io.h"

#define LEAVE_TRIES 100
#define PROCS_BYTES (1u << 20)

/* A process outside of our pid namespace is listed as 0 and cannot be moved. */
static int cgroup_empty_move(int fd, const char *pid, struct err *e)
{
	if (!strcmp(pid, "0"))
		return err_set(
			e, ERR_UNSUPPORTED,
			"limits need a control group that only this container is in, and there "
			"are processes of others: run the container with --cgroupns private");
	if (io_put(fd, CGROUP_V2_LEAF "/cgroup.procs", pid) && errno != ESRCH)
		return err_sys(e, "move into the cgroup " CGROUP_V2_LEAF);
	return 0;
}

int cgroup_empty(int dir_fd, struct err *e)
{
	if (mkdirat(dir_fd, CGROUP_V2_LEAF, 0755) && errno != EEXIST)
		return err_sys(e, "make the cgroup " CGROUP_V2_LEAF);
	for (int tries = 0; tries < LEAVE_TRIES; tries++) {
		auto_buf struct buf pids = {0};
		char *save = NULL;

		if (io_read_file(dir_fd, "cgroup.procs", PROCS_BYTES, &pids, e))
			return -1;
		if (!pids.length)
			return 0;
		for (char *pid = strtok_r(pids.data, "\n", &save); pid;
		     pid = strtok_r(NULL, "\n", &save))
			if (cgroup_empty_move(dir_fd, pid, e))
				return -1;
	}
	return err_set(e, ERR_SYSTEM, "the processes of our control group multiply too fast");
}
