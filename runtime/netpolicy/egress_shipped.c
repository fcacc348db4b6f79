/*
 * egress_shipped - the lists of hosts that glovebox ships, as files beside our programs.
 */
#include "netpolicy/egress_shipped.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/own.h"
#include "fs/self_path.h"
#include "netpolicy/egress_preset.h"

bool egress_shipped_place(char out[PATH_MAX])
{
	static const char *const beside[] = {"../share/glovebox/egress", "../../policy/egress",
					     "../../../policy/egress"};
	char self[PATH_MAX];
	struct err ignored;

	return !self_directory(self, &ignored) &&
	       !self_find(self, beside, sizeof(beside) / sizeof(beside[0]), ".", out);
}

void egress_shipped_names(struct list *out)
{
	char directory[PATH_MAX];

	if (egress_shipped_place(directory))
		egress_preset_names(directory, out);
}

/* Trusted like our own program: the files lie beside it, with the same owner. */
int egress_shipped_read(const char *name, char path[PATH_MAX], struct buf *out, struct err *e)
{
	char directory[PATH_MAX];
	auto_fd int fd = -1;
	struct stat st;

	if (!egress_shipped_place(directory) ||
	    snprintf(path, PATH_MAX, "%s/%s", directory, name) >= PATH_MAX)
		return 1;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open %.300s", path);
	if (!S_ISREG(st.st_mode))
		return err_input(e, "%.300s: it must be a file", path);
	return io_read_fd(fd, path, EGRESS_PRESET_BYTES, out, e);
}
