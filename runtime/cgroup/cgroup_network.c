/*
 * cgroup_network - the directories for glovebox-egress in a sandbox's group.
 */
#include "cgroup/cgroup_network.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "cgroup/cgroup_members.h"
#include "cgroup/socket_memory.h"
#include "host/omit.h"

static int cgroup_network_make(int dir, struct err *e)
{
	auto_fd int fd = -1;

	if (mkdirat(dir, CGROUP_NETWORK, 0700) && errno != EEXIST)
		return err_sys(e, "create the control group of the network");
	fd = openat(dir, CGROUP_NETWORK, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "open the control group of the network") : take_fd(&fd);
}

/* Add the directory of one v1 controller. */
static int cgroup_network_add(int dir, struct cgroup_network *out, struct err *e)
{
	auto_fd int fd = cgroup_network_make(dir, e);
	int tasks;

	if (fd < 0 || socket_memory_inherit(fd, dir, e))
		return -1;
	if (!faccessat(fd, "cpuset.cpus", F_OK, 0) && cgroup_fill_cpuset(fd, dir, e))
		return -1;
	tasks = openat(fd, "tasks", O_WRONLY | O_CLOEXEC);
	if (tasks < 0)
		return err_sys(e, "open the tasks of the network's control group");
	out->tasks[out->task_count++] = tasks;
	return 0;
}

int cgroup_network_open(const struct cgroup *c, struct cgroup_network *out, struct err *e)
{
	*out = (struct cgroup_network){.birth = -1};
	if (!c->layout || host_omits("egress-group"))
		return 0;
	if (c->layout == &cgroup_v2) {
		out->birth = cgroup_network_make(c->ref.dirs[0], e);
		return out->birth < 0 ? -1 : 0;
	}
	for (unsigned i = 0; i < c->ref.count; i++) {
		if (cgroup_network_add(c->ref.dirs[i], out, e))
			return -1;
	}
	return 0;
}

void cgroup_network_close(struct cgroup_network *n)
{
	own_close(&n->birth);
	while (n->task_count)
		own_close(&n->tasks[--n->task_count]);
}

int cgroup_network_join(const struct cgroup_network *n)
{
	for (unsigned i = 0; i < n->task_count; i++) {
		if (write(n->tasks[i], "0", 1) != 1)
			return -1;
	}
	return 0;
}

uint64_t cgroup_network_count(const struct cgroup *c)
{
	return c->ref.count && cgroup_number(c->ref.dirs[0], CGROUP_NETWORK "/cgroup.procs", NULL);
}

static int cgroup_network_kill_one(void *context, pid_t process, int pidfd)
{
	(void)context;
	(void)process;
	syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	return 1;
}

void cgroup_network_kill(const struct cgroup_ref *group)
{
	auto_fd int dir = openat(group->count ? group->dirs[0] : -1, CGROUP_NETWORK,
				 O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir >= 0 && io_put(dir, "cgroup.kill", "1"))
		(void)cgroup_each_process(dir, group->name, cgroup_network_kill_one, NULL);
}

int cgroup_unlink(int parent_fd, const char *name)
{
	char network[CGROUP_NAME_SIZE + sizeof("/" CGROUP_NETWORK)];

	snprintf(network, sizeof(network), "%.*s/" CGROUP_NETWORK, CGROUP_NAME_SIZE - 1, name);
	(void)unlinkat(parent_fd, network, AT_REMOVEDIR);
	return unlinkat(parent_fd, name, AT_REMOVEDIR);
}
