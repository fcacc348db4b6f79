/*
 * idmap - map the host ids of a sandbox and its files.
 */
#include "namespace/idmap.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/own.h"
#include "host/omit.h"
#include "namespace/id_mapper.h"
#include "namespace/namespaces.h"

#define ID_BASE    0x70000000u
#define ID_LAST    0xfffffffeul /* of the nurseries' blocks (idblock.h) */
#define ID_PER_PID 64u          /* pids stay below 2^22, so 64 ids each fill the range up to 2^31 */

/* The first host id for this process, as root. */
static uint32_t idmap_own_ids(void)
{
	return ID_BASE + ((uint32_t)getpid() & 0x3fffff) * ID_PER_PID;
}

void idmap_choose(uint32_t inside_uid, uint32_t inside_gid, struct idmap *out)
{
	*out = (struct idmap){
		.inside_uid = inside_uid, .inside_gid = inside_gid, .privileged = geteuid() == 0};
	out->host_uid = out->privileged ? idmap_own_ids() : geteuid();
	out->host_gid = out->privileged ? idmap_own_ids() : getegid();
}

int idmap_check_ids(struct err *e)
{
	static const unsigned long ends[] = {ID_BASE, ID_LAST};
	const int number = errno;

	for (size_t i = 0; i < 2; i++) {
		if (geteuid() == 0 && !(namespaces_is_mapped("/proc/self/uid_map", ends[i]) &&
					namespaces_is_mapped("/proc/self/gid_map", ends[i])))
			return err_set(
				e, ERR_UNSUPPORTED,
				"root has too few ids in this container "
				"(/proc/self/uid_map) to give sandboxes their own: run as an "
				"ordinary user of it, or start it with all ids (as root, "
				"without userns-remap)");
	}
	errno = number;
	return 0;
}

static int idmap_add_extra(uint32_t *extra, unsigned *count, uint32_t own, uint32_t id)
{
	if (id == own)
		return 0;
	for (unsigned i = 0; i < *count; i++) {
		if (extra[i] == id)
			return 0;
	}
	if (*count == IDMAP_MAX_EXTRA)
		return -1;
	extra[(*count)++] = id;
	return 0;
}

int idmap_add_owner(struct idmap *map, uint32_t uid, uint32_t gid, struct err *e)
{
	if (!map->privileged && (uid != map->inside_uid || gid != map->inside_gid))
		return err_input(
			e,
			"uid and gid must be the sandbox's user, %u:%u (see --user); only root "
			"has other ids to give",
			map->inside_uid, map->inside_gid);
	if (idmap_add_extra(map->extra_uids, &map->extra_uid_count, map->inside_uid, uid) ||
	    idmap_add_extra(map->extra_gids, &map->extra_gid_count, map->inside_gid, gid))
		return err_input(e, "more than %d different owners", IDMAP_MAX_EXTRA);
	return 0;
}

static int idmap_open_proc(pid_t pid, struct err *e)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "open %s", path) : fd;
}

/* The kernel accepts one write per map (user_namespaces(7)). */
static int idmap_write_map(int proc, const char *file, uint32_t inside, uint32_t host,
			   const uint32_t *extra, unsigned extra_count, const struct idmap *block,
			   struct err *e)
{
	auto_buf struct buf lines = {0};

	buf_printf(&lines, "%u %u 1\n", inside, host);
	if (block && block->block_count)
		buf_printf(&lines, "%u %u %u\n", block->block_first, block->block_first,
			   block->block_count);
	for (unsigned i = 0; i < extra_count; i++)
		buf_printf(&lines, "%u %u 1\n", extra[i], idmap_own_ids() + 1 + i);
	if (host_omits("one-id"))
		buf_printf(&lines, "%u %u 1\n", inside + 1, host + 1);
	if (io_put(proc, file, buf_string(&lines)))
		return idmap_check_ids(e) ? -1
					  : err_sys(e, "map id %u to %u in %s", inside, host, file);
	return 0;
}

/* An ordinary user may map only its own id; newuidmap(1) maps more (user_namespaces(7)). */
static int idmap_write_given(const char *program, pid_t pid, uint32_t inside, uint32_t host,
			     const struct idmap *block, struct err *e)
{
	const struct id_range ranges[] = {
		{inside,             host,               1                 },
		{block->block_first, block->block_first, block->block_count},
	};

	return id_mapper_run(program, pid, ranges, 2, e);
}

int idmap_write(pid_t pid, const struct idmap *map, struct err *e)
{
	auto_fd int proc = idmap_open_proc(pid, e);

	if (proc < 0)
		return -1;
	/*
	 * The kernel requires this before an unprivileged gid map (user_namespaces(7),
	 * CVE-2014-8989).
	 */
	if (!map->privileged && io_put(proc, "setgroups", "deny"))
		return err_sys(e, "deny setgroups in the new user namespace");
	if (!map->privileged && map->block_count)
		return idmap_write_given("newgidmap", pid, map->inside_gid, map->host_gid, map,
					 e) ||
				       idmap_write_given("newuidmap", pid, map->inside_uid,
							 map->host_uid, map, e)
			       ? -1
			       : 0;
	if (idmap_write_map(proc, "gid_map", map->inside_gid, map->host_gid, map->extra_gids,
			    map->extra_gid_count, map, e))
		return -1;
	return idmap_write_map(proc, "uid_map", map->inside_uid, map->host_uid, map->extra_uids,
			       map->extra_uid_count, map, e);
}

/* Write the maps of a holder: they map the owner on disk to the sandbox's one user. */
static int idmap_write_owner(pid_t pid, const struct idmap *map, uid_t uid, gid_t gid,
			     struct err *e)
{
	auto_fd int proc = idmap_open_proc(pid, e);

	if (proc < 0 || idmap_write_map(proc, "gid_map", gid, map->host_gid, NULL, 0, NULL, e))
		return -1;
	return idmap_write_map(proc, "uid_map", uid, map->host_uid, NULL, 0, NULL, e);
}

/* Only a process can make a namespace; this one just waits to be killed. */
static pid_t idmap_spawn_holder(struct err *e)
{
	struct clone_args args = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (pid < 0)
		return namespaces_refused(CLONE_NEWUSER, "create a user namespace to map ids in",
					  e);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

int idmap_namespace(const struct idmap *map, uid_t disk_uid, gid_t disk_gid, int *out_fd,
		    struct err *e)
{
	char path[64];
	pid_t pid = idmap_spawn_holder(e);
	int result = -1;
	int fd;

	if (pid < 0)
		return -1;
	if (!idmap_write_owner(pid, map, disk_uid, disk_gid, e)) {
		snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0) {
			*out_fd = fd;
			result = 0;
		} else {
			err_sys(e, "open %s", path);
		}
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return result;
}

int idmap_try_block(uint32_t first, uint32_t count, struct err *e)
{
	struct idmap map = {.block_first = first, .block_count = count};
	pid_t pid = idmap_spawn_holder(e);
	int bad;

	if (pid < 0)
		return -1;
	map.host_uid = geteuid();
	map.host_gid = getegid();
	bad = idmap_write(pid, &map, e);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return bad;
}
