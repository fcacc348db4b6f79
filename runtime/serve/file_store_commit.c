/*
 * file_store_commit - a complete content becomes a file: in place as a whole, or not at all.
 *
 * Two waits for the disk: one for the content and its record before either gets its name, one for
 * the names. On ext4 each is one commit of the journal, whatever it consists of.
 *
 * Outputs of a run, of which there may be hundreds, are waited for once, all together. Until then a
 * power failure may leave names without their bytes, which nobody has been told of: a record that
 * is cut, or whose content has another size, is removed when the store is opened. An upload that
 * has the same content meanwhile brings its own, which is on the disk when it says so.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "serve/file_store_name.h"
#include "serve/file_store_parts.h"
#include "serve/file_store_record.h"

double file_store_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Somebody may have removed it behind our back: then what comes now heals it. */
static bool file_store_commit_is_stored(const struct file_store *s,
					const struct file_store_arrival *a)
{
	struct stat st;

	return (a->waits ? file_store_index_has_settled(&s->index, a->sha256)
			 : file_store_index_has_content(&s->index, a->sha256)) &&
	       !fstatat(s->objects_fd, a->sha256, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISREG(st.st_mode) && (uint64_t)st.st_size == a->size_bytes;
}

static int file_store_commit_record(const struct file_store *s, const struct stored_file *file,
				    bool waits, struct err *e)
{
	auto_buf struct buf text = {0};
	auto_fd int fd = openat(s->incoming_fd, file->id,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	file_store_record_write(file, &text);
	if (fd < 0 || io_write_all(fd, text.data, text.length) || (waits && fsync(fd)))
		return err_sys(e, "write the record of a file");
	return 0;
}

static int file_store_commit_content(const struct file_store *s, const struct file_store_arrival *a,
				     bool stored, struct err *e)
{
	int bad = stored ? unlinkat(a->directory_fd, a->name, 0)
			 : renameat(a->directory_fd, a->name, s->objects_fd, a->sha256);

	return bad ? err_sys(e, "put the content of a file into place") : 0;
}

static int file_store_commit_names(const struct file_store *s, const struct stored_file *file,
				   bool stored, bool waits, struct err *e)
{
	if (renameat(s->incoming_fd, file->id, s->files_fd, file->id) ||
	    (waits && (fsync(s->files_fd) || (!stored && fsync(s->objects_fd)))))
		return err_sys(e, "put a file into place");
	return 0;
}

static void file_store_commit_undo(const struct file_store *s, const struct stored_file *file)
{
	unlinkat(s->incoming_fd, file->id, 0);
	unlinkat(s->files_fd, file->id, 0);
	if (!file_store_index_has_content(&s->index, file->sha256))
		unlinkat(s->objects_fd, file->sha256, 0);
}

int file_store_commit(struct file_store *s, const struct file_store_arrival *a,
		      const char *filename, struct stored_file *out, struct err *e)
{
	bool stored = file_store_commit_is_stored(s, a);

	*out = (struct stored_file){.size_bytes = a->size_bytes, .upload_time = file_store_now()};
	file_store_record_new_id(out->id);
	memcpy(out->sha256, a->sha256, sizeof(out->sha256));
	snprintf(out->owner, sizeof(out->owner), "%s", a->owner->name);
	file_store_name_clean(filename, filename ? strlen(filename) : 0, out->filename);
	if (!stored && a->waits && fsync(a->fd))
		return err_sys(e, "write a file");
	if (file_store_commit_record(s, out, a->waits, e) ||
	    file_store_commit_content(s, a, stored, e) ||
	    file_store_commit_names(s, out, stored, a->waits, e)) {
		file_store_commit_undo(s, out);
		return -1;
	}
	file_store_index_add(&s->index, a->owner, out, !a->waits);
	return 0;
}

int file_store_settle_fd(const struct file_store *s)
{
	return s->files_fd;
}

int file_store_settle(const struct file_store *s, struct err *e)
{
	return syncfs(s->files_fd) ? err_sys(e, "write files to the disk") : 0;
}
