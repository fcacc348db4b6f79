/*
 * subids - choose the host ids that stand for 0 to 65535 while packages are installed.
 */
#include "subids.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/io.h"
#include "namespace/id_mapper.h"
#include "namespace/subid_file.h"

#define ROOTS_FIRST 0x6fff0000u

int subids_choose(struct subids *out, struct err *e)
{
	char name[SUBID_NAME_SIZE];

	if (subid_file_own(name, &out->uid_first, &out->gid_first))
		return 0;
	*out = (struct subids){ROOTS_FIRST, ROOTS_FIRST};
	if (geteuid() == 0)
		return 0;
	return err_set(e, ERR_UNSUPPORTED,
		       "building as an ordinary user needs %u ids in /etc/subuid and "
		       "/etc/subgid: \"usermod --add-subuids 100000-165535 --add-subgids "
		       "100000-165535 %s\" as root, or build as root",
		       SUBIDS_COUNT, name);
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
	const struct id_range all = {0, first, SUBIDS_COUNT};

	return id_mapper_run(program, pid, &all, 1, e);
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
