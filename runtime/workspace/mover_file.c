/*
 * mover_file - the program mover as a file in memory, for a process that executes it.
 */
#include "workspace/mover_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/io.h"
#include "base/own.h"
#include "workspace/mover_bytes.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10U /* Linux 6.3: executable whatever vm.memfd_noexec is by default */
#endif

static int mover_file_create(void)
{
	int fd = memfd_create("mover", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

	return fd < 0 && errno == EINVAL ? memfd_create("mover", MFD_CLOEXEC | MFD_ALLOW_SEALING)
					 : fd;
}

int mover_file(struct err *e)
{
	auto_buf struct buf bytes = {0};
	auto_fd int made = mover_file_create();
	auto_fd int read_only = -1;

	if (mover_bytes(&bytes, e))
		return -1;
	if (made < 0 || io_write_all(made, bytes.data, bytes.length) ||
	    fcntl(made, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE))
		return err_sys(e, "make a copy of mover in memory");
	/* A file that is open for writing cannot be executed; one that cannot be read is not
	 * dumpable (execve(2)). */
	read_only = open(fd_path(made).text, O_RDONLY | O_CLOEXEC);
	if (read_only < 0 || fchmod(read_only, 0111))
		return err_sys(e, "open the copy of mover");
	return take_fd(&read_only);
}
