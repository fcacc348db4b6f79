/*
 * guest - the guest's files in the one file: a nursery gets them from our memory, and nothing is
 * unpacked on the host, but for the program of a selftest while that runs.
 */
#include "warm/guest.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/io.h"
#include "base/own.h"
#include "selftest/probe_file.h"
#include "workspace/mover_bytes.h"

#include "guest_files.h"

int guest_find(char out[PATH_MAX], struct err *e)
{
	(void)e;
	*out = '\0';
	return 0;
}

void guest_mount(struct sandbox_spec *s, const char *dir, const char *target)
{
	(void)dir;
	spec_add_mount(s, MOUNT_FILES, target)->files = files;
}

int probe_file_find(const char *dir, char out[PATH_MAX], struct err *e)
{
	const struct mount_file *probe = files;
	struct statvfs fs;
	auto_fd int fd = -1;

	if (!statvfs(dir, &fs) && fs.f_flag & ST_NOEXEC)
		return err_set(e, ERR_UNSUPPORTED,
			       "no program may run from %s, which is mounted noexec: name another "
			       "directory for selftest's probe with TMPDIR=DIR",
			       dir);
	while (strcmp(probe->name, "selftest-probe") != 0)
		probe++;
	snprintf(out, PATH_MAX, "%s/%s", dir, probe->name);
	fd = open(out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	return fd < 0 || io_write_all(fd, probe->bytes, probe->length) || fchmod(fd, 0755)
		       ? err_sys(e, "write %s", out)
		       : 0;
}

int mover_bytes(struct buf *out, struct err *e)
{
	const struct mount_file *mover = files;

	(void)e;
	while (strcmp(mover->name, "mover") != 0)
		mover++;
	buf_add(out, mover->bytes, mover->length);
	return 0;
}
