/*
 * subids - the host ids that stand for 0 to 65535 while packages are being installed.
 */
#include "subids.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/process.h"
#include "host/subid_file.h"
#include "interrupt.h"

#define ROOTS_FIRST 0x6fff0000u

int subids_choose(struct subids *out, struct err *e)
{
	const struct passwd *pw = getpwuid(geteuid());
	const char *name = pw ? pw->pw_name : "";
	char uid[24];

	snprintf(uid, sizeof(uid), "%u", geteuid());
	if (subid_file_find("/etc/subuid", name, uid, &out->uid_first) &&
	    subid_file_find("/etc/subgid", name, uid, &out->gid_first))
		return 0;
	*out = (struct subids){ROOTS_FIRST, ROOTS_FIRST};
	if (geteuid() == 0)
		return 0;
	return err_set(e, ERR_UNSUPPORTED,
		       "building as an ordinary user needs %u ids in /etc/subuid and "
		       "/etc/subgid: \"usermod --add-subuids 100000-165535 --add-subgids "
		       "100000-165535 %s\" as root, or build as root",
		       SUBIDS_COUNT, *name ? name : uid);
}

static int subids_write_map(pid_t pid, const char *file, uint32_t first, struct err *e)
{
	char path[64];
	char line[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	snprintf(line, sizeof(line), "0 %u %u", first, SUBIDS_COUNT);
	if (!io_put(AT_FDCWD, path, line))
		return 0;
	return err_sys(e,
		       "give the build ids of its own, %u to %u (a container may lack them: name "
		       "others for root in /etc/subuid and /etc/subgid)",
		       first, first + SUBIDS_COUNT - 1);
}

/* newuidmap(1) has the privilege that we lack, and reads the same file. */
static int subids_run_mapper(const char *program, pid_t pid, uint32_t first, struct err *e)
{
	char target[24];
	char start[24];
	char count[24];
	pid_t child;

	snprintf(target, sizeof(target), "%d", (int)pid);
	snprintf(start, sizeof(start), "%u", first);
	snprintf(count, sizeof(count), "%u", SUBIDS_COUNT);
	child = fork();
	if (child == 0) {
		interrupt_reset();
		execlp(program, program, target, "0", start, count, (char *)NULL);
		_exit(127);
	}
	return child > 0 && !process_reap(child, 0)
		       ? 0
		       : err_set(e, ERR_UNSUPPORTED,
				 "%s failed: is it set-uid root, and the range of "
				 "/etc/subuid ours?",
				 program);
}

int subids_map(const struct subids *ids, pid_t pid, struct err *e)
{
	if (geteuid() != 0)
		return subids_run_mapper("newgidmap", pid, ids->gid_first, e) ||
				       subids_run_mapper("newuidmap", pid, ids->uid_first, e)
			       ? -1
			       : 0;
	return subids_write_map(pid, "gid_map", ids->gid_first, e) ||
			       subids_write_map(pid, "uid_map", ids->uid_first, e)
		       ? -1
		       : 0;
}
