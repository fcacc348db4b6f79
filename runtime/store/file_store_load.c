/*
 * file_store_load - at start: read the records, and remove files without one.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/own.h"
#include "base/say.h"
#include "fs/names.h"
#include "fs/remove_tree.h"
#include "loop/clock.h"
#include "store/file_store_charge.h"
#include "store/file_store_parts.h"
#include "store/file_store_record.h"

#define FILE_STORE_LOAD_MOST 1000000 /* names in one directory */

struct file_store_loaded {
	struct stored_file *files; /* owned */
	size_t count;
	unsigned unfinished; /* in incoming/ and scratch/: left by a killed process */
	unsigned broken;     /* without a record */
	unsigned foreign;    /* foreign names, left alone */
	bool doubt;          /* a file could not be read, and stays */
};

static void file_store_load_free(struct file_store_loaded *l)
{
	free(l->files);
}

/* Returns 0; 1: the file has no record; -1: it could not be read. */
static int file_store_load_record(const struct file_store *s, const char *id,
				  struct stored_file *out)
{
	const off_t size = sizeof(struct file_store_record);
	auto_fd int fd = openat(s->files_fd, id, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct file_store_record record;
	struct err ignored;
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return errno == ELOOP || errno == ENXIO ? 1 : -1;
	if (fstat(fd, &st))
		return -1;
	if (!S_ISREG(st.st_mode) || st.st_size < size)
		return 1;
	n = pread(fd, &record, sizeof(record), st.st_size - size);
	if (n != size)
		return n < 0 ? -1 : 1;
	if (file_store_record_read(&record, (uint64_t)st.st_size, out, &ignored))
		return 1;
	memcpy(out->id, id, sizeof(out->id));
	return 0;
}

static void file_store_load_one(struct file_store *s, const char *name, struct file_store_loaded *l)
{
	struct stored_file *file = &l->files[l->count];
	int bad;

	if (!file_store_record_is_id(name)) {
		l->foreign++;
		return;
	}
	bad = file_store_load_record(s, name, file);
	if (!bad)
		l->count++;
	else if (bad < 0)
		l->doubt = true;
	else if (!unlinkat(s->files_fd, name, 0))
		l->broken++;
	else
		l->foreign++;
}

static int file_store_load_by_time(const void *a, const void *b)
{
	double first = ((const struct stored_file *)a)->upload_time;
	double second = ((const struct stored_file *)b)->upload_time;

	return (first > second) - (first < second);
}

/* Clamp times in the future, which come from a wrong clock: the file would never expire. */
static void file_store_load_index(struct file_store *s, struct file_store_loaded *l)
{
	double now = clock_now_s();

	for (size_t i = 0; i < l->count; i++) {
		if (l->files[i].upload_time > now)
			l->files[i].upload_time = now;
	}
	qsort(l->files, l->count, sizeof(*l->files), file_store_load_by_time);
	for (size_t i = 0; i < l->count; i++) {
		struct stored_file *file = &l->files[i];

		file_store_index_add(&s->index, file_store_charge_kept(&s->index, file), file);
	}
}

static int file_store_load_files(struct file_store *s, struct file_store_loaded *l,
				 const char *path, struct err *e)
{
	auto_list struct list names = {0};
	int more = names_read(s->files_fd, FILE_STORE_LOAD_MOST, &names);

	if (more < 0)
		return err_sys(e, "read %.300s/files", path);
	l->doubt |= more > 0;
	l->files = own_zeroed(names.count + 1, sizeof(*l->files));
	for (size_t i = 0; i < names.count; i++)
		file_store_load_one(s, names.items[i], l);
	file_store_load_index(s, l);
	return 0;
}

/* Remove everything: no client was told of these files. */
static void file_store_load_empty(int dir_fd, struct file_store_loaded *l)
{
	auto_list struct list names = {0};

	if (names_read(dir_fd, FILE_STORE_LOAD_MOST, &names) < 0)
		return;
	for (size_t i = 0; i < names.count; i++)
		l->unfinished += !remove_tree(dir_fd, names.items[i], UINT64_MAX);
}

static void file_store_load_say(const struct file_store_loaded *l, const char *path)
{
	auto_free char *text = own_printf(
		"%s: removed what an earlier process left: %u unfinished, %u incomplete; "
		"ignored %u foreign names%s",
		path, l->unfinished, l->broken, l->foreign,
		l->doubt ? "; some files could not be read" : "");

	if (l->unfinished || l->broken || l->foreign || l->doubt)
		say_warning(text);
}

int file_store_load(struct file_store *s, const char *path, struct err *e)
{
	__attribute__((cleanup(file_store_load_free))) struct file_store_loaded l = {0};

	/* First: after that a dying child of an earlier process cannot rename a file to files/. */
	file_store_load_empty(s->incoming_fd, &l);
	file_store_load_empty(s->scratch_fd, &l);
	if (file_store_load_files(s, &l, path, e))
		return -1;
	file_store_load_say(&l, path);
	return 0;
}
