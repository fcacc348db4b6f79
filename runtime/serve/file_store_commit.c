/*
 * file_store_commit - a complete content becomes a file: in place as a whole, or not at all.
 *
 * The caller then waits for the disk (file_store_settle()), before it tells a client. Until then a
 * power failure may leave names without bytes: opening the store removes a truncated record, and
 * one whose content has another size. A second upload of the same content meanwhile stores its own
 * copy, and waits for that.
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

/* Check that the content is still there: if it was deleted by hand, the new copy replaces it. */
static bool file_store_commit_is_stored(const struct file_store *s,
					const struct file_store_arrival *a, const char *object)
{
	struct stat st;

	return file_store_index_has_settled(&s->index, object) &&
	       !fstatat(s->objects_fd, object, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size == a->size_bytes;
}

static int file_store_commit_record(const struct file_store *s, const struct stored_file *file,
				    struct err *e)
{
	auto_buf struct buf text = {0};
	auto_fd int fd = openat(s->incoming_fd, file->id,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	file_store_record_write(file, &text);
	if (fd < 0 || io_write_all(fd, text.data, text.length))
		return err_sys(e, "write the record of a file");
	return 0;
}

static int file_store_commit_content(const struct file_store *s, const struct file_store_arrival *a,
				     const char *object, struct err *e)
{
	int bad = file_store_commit_is_stored(s, a, object)
			  ? unlinkat(a->directory_fd, a->name, 0)
			  : renameat(a->directory_fd, a->name, s->objects_fd, object);

	return bad ? err_sys(e, "put the content of a file into place") : 0;
}

static int file_store_commit_names(const struct file_store *s, const struct stored_file *file,
				   struct err *e)
{
	if (renameat(s->incoming_fd, file->id, s->files_fd, file->id))
		return err_sys(e, "put a file into place");
	return 0;
}

static void file_store_commit_undo(const struct file_store *s, const struct stored_file *file,
				   const char *object)
{
	unlinkat(s->incoming_fd, file->id, 0);
	unlinkat(s->files_fd, file->id, 0);
	if (!file_store_index_has_content(&s->index, object))
		unlinkat(s->objects_fd, object, 0);
}

int file_store_commit(struct file_store *s, const struct file_store_arrival *a,
		      const char *filename, struct stored_file *out, struct err *e)
{
	char object[DIGEST_HEX];

	*out = (struct stored_file){.size_bytes = a->size_bytes, .upload_time = file_store_now()};
	file_store_record_new_id(out->id);
	memcpy(out->sha256, a->sha256, sizeof(out->sha256));
	snprintf(out->owner, sizeof(out->owner), "%s", a->owner->name);
	file_store_name_clean(filename, filename ? strlen(filename) : 0, out->filename);
	file_store_record_object(out, object);
	if (file_store_commit_record(s, out, e) || file_store_commit_content(s, a, object, e) ||
	    file_store_commit_names(s, out, e)) {
		file_store_commit_undo(s, out, object);
		return -1;
	}
	file_store_index_add(&s->index, a->owner, out, true);
	return 0;
}

void file_store_settle_fds(const struct file_store *s, int fds[FILE_STORE_SETTLE_FDS])
{
	fds[0] = s->files_fd;
	fds[1] = s->objects_fd;
}

/* ENOENT: deleted in the meantime, nothing to sync. */
static int file_store_commit_sync(int directory_fd, const char *name)
{
	auto_fd int fd = openat(directory_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	return fsync(fd);
}

int file_store_settle_one(const struct file_store *s, const struct stored_file *file, struct err *e)
{
	char object[DIGEST_HEX];

	file_store_record_object(file, object);
	return file_store_commit_sync(s->objects_fd, object) ||
			       file_store_commit_sync(s->files_fd, file->id) ||
			       fsync(s->objects_fd) || fsync(s->files_fd)
		       ? err_sys(e, "write a file")
		       : 0;
}

int file_store_settle(const struct file_store *s, struct err *e)
{
	return syncfs(s->files_fd) ? err_sys(e, "write files to the disk") : 0;
}
