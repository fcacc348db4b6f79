/*
 * file_store_scratch - collect the outputs of a run in a directory of the store, and adopt them by
 * rename.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/names.h"
#include "base/own.h"
#include "base/remove_tree.h"
#include "serve/file_store_charge.h"
#include "serve/file_store_parts.h"
#include "serve/file_store_record.h"

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

static int file_store_scratch_open(int directory_fd, const char *name, struct stat *st,
				   struct err *e)
{
	auto_fd int fd =
		strchr(name, '/')
			? -1
			: openat(directory_fd, name,
				 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, st))
		return err_sys(e, "open an output");
	if (!S_ISREG(st->st_mode) || st->st_nlink != 1 || st->st_uid != geteuid())
		return err_input(e, "an output is not a regular file with one link, owned by us");
	if (fchmod(fd, 0600))
		return err_sys(e, "change the mode of an output");
	return take_fd(&fd);
}

static int file_store_scratch_hash(int fd, char out[DIGEST_HEX], struct err *e)
{
	enum { PIECE = 256 << 10 };
	auto_free char *piece = own_resize(NULL, PIECE, 1);
	struct digest *d = digest_begin();
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, piece, PIECE, at)) > 0) {
		digest_add(d, piece, (size_t)n);
		at += n;
	}
	digest_end(d, out);
	return n < 0 ? err_sys(e, "read an output") : 0;
}

/* `arrival->owner` is charged for one file: add its bytes, or on errors release the charge. */
static int file_store_scratch_commit(struct file_store *s, struct file_store_arrival *arrival,
				     const char *filename, struct stored_file *out, struct err *e)
{
	if (file_store_charge_check_size(&s->index, 0, arrival->size_bytes, e) ||
	    file_store_charge_bytes(&s->index, arrival->owner, 0, arrival->size_bytes, e)) {
		file_store_charge_give_back(&s->index, arrival->owner, 0);
		return -1;
	}
	if (!file_store_commit(s, arrival, filename, out, e))
		return 0;
	file_store_charge_give_back(&s->index, arrival->owner, arrival->size_bytes);
	return -1;
}

int file_store_adopt(struct file_store *s, const char *owner, int directory_fd, const char *name,
		     const char *sha256, const char *filename, struct stored_file *out,
		     struct err *e)
{
	char computed[DIGEST_HEX];
	struct stat st;
	auto_fd int fd = file_store_scratch_open(directory_fd, name, &st, e);
	struct file_store_arrival arrival = {
		.directory_fd = directory_fd, .name = name, .sha256 = sha256 ? sha256 : computed};

	if (fd < 0 || (!sha256 && file_store_scratch_hash(fd, computed, e)))
		return -1;
	if (!file_store_record_is_owner(owner) || !file_store_record_is_sha256(arrival.sha256))
		return err_input(e, "no owner of files, or no hash of one");
	arrival.size_bytes = (uint64_t)st.st_size;
	arrival.owner = file_store_charge_file(&s->index, owner, e);
	return arrival.owner ? file_store_scratch_commit(s, &arrival, filename, out, e) : -1;
}

void file_store_reveal(struct file_store *s, const char *owner, const char *id)
{
	struct file_store_entry *entry = file_store_index_find(&s->index, owner, id);

	if (entry)
		file_store_index_reveal(entry);
}

void file_store_drop(struct file_store *s, const char *owner, const char *id)
{
	struct file_store_entry *entry = file_store_index_find(&s->index, owner, id);

	/* If the disk refuses, the file is back after the next start. */
	if (entry && file_store_remove(s, entry))
		file_store_index_remove(&s->index, entry);
}
