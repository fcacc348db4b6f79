/*
 * file_store_scratch - directories of the store for the outputs of runs.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/own.h"
#include "fs/names.h"
#include "fs/remove_tree.h"
#include "store/file_store_parts.h"
#include "store/file_store_record.h"

/* Most runs leave no files: reuse the empty directory, which costs no disk access. */
static bool file_store_scratch_take_spare(struct file_store *s, int *fd,
					  char name[FILE_STORE_SCRATCH_SIZE])
{
	struct stat st;

	if (s->spare_fd < 0)
		return false;
	if (fstat(s->spare_fd, &st) || !st.st_nlink) { /* the directory was removed by hand */
		own_close(&s->spare_fd);
		return false;
	}
	memcpy(name, s->spare, FILE_STORE_SCRATCH_SIZE);
	*fd = take_fd(&s->spare_fd);
	return true;
}

int file_store_scratch(struct file_store *s, int *fd, char name[FILE_STORE_SCRATCH_SIZE],
		       struct err *e)
{
	if (file_store_scratch_take_spare(s, fd, name))
		return 0;
	file_store_record_new_id(name);
	if (mkdirat(s->scratch_fd, name, 0700))
		return err_sys(e, "make a directory for outputs");
	*fd = openat(s->scratch_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd >= 0)
		return 0;
	err_sys(e, "open a directory for outputs");
	unlinkat(s->scratch_fd, name, AT_REMOVEDIR);
	return -1;
}

void file_store_scratch_end(struct file_store *s, int *fd, const char *name)
{
	struct list left = {0};
	bool is_empty = s->spare_fd < 0 && !names_read(*fd, 1, &left) && !left.count;

	list_fini(&left);
	if (is_empty) {
		memcpy(s->spare, name, sizeof(s->spare));
		s->spare_fd = take_fd(fd);
		return;
	}
	remove_tree(s->scratch_fd, name, UINT64_MAX); /* leftovers are removed at the next start */
	own_close(fd);
}
