/*
 * record_remove - remove what is kept of a sandbox that has ended.
 */
#include "record/record_remove.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/lock.h"
#include "fs/names.h"
#include "fs/omit.h"
#include "fs/remove_tree.h"
#include "fs/state_dir.h"
#include "fs/state_file.h"
#include "loop/clock.h"
#include "record/event.h"
#include "record/record_names.h"

#define TORN_S    60 /* nobody takes so long to write it */
#define REMOVE_MS 10000
#define LOCK_US   1000000 /* others look at the lock of what has ended for a moment */
#define RECORDS   100000

void record_erase(const char *id, const char *name, struct err *e)
{
	auto_fd int folder = state_dir_open(RECORD_FOLDER, false, e);

	*e = (struct err){0};
	if (folder >= 0 && remove_tree(folder, id, monotonic_ms() + REMOVE_MS))
		(void)err_sys(e, "remove the record of %.12s", id);
	record_names_free(name, id);
}

/* A record that is being made is as unreadable, and young. */
static bool record_remove_is_torn(int folder, const char *id)
{
	auto_record struct record r = {.dir = -1};
	struct stat st;

	return record_is_id(id) && !record_read_id(id, &r) &&
	       !fstatat(folder, id, &st, AT_SYMLINK_NOFOLLOW) && st.st_mtime + TORN_S < time(NULL);
}

void record_sweep(void)
{
	struct err ignored;
	auto_fd int folder = state_dir_open(RECORD_FOLDER, false, &ignored);
	auto_list struct list all = {0};

	(void)names_read(folder, RECORDS, &all);
	for (size_t i = 0; i < all.count; i++) {
		if (record_remove_is_torn(folder, all.items[i]))
			(void)remove_tree(folder, all.items[i], monotonic_ms() + REMOVE_MS);
	}
	record_names_sweep();
}

/* Others look at the lock for a moment, so that it may be taken now and free at once. */
int record_lock(const struct record *r)
{
	struct err ignored;
	auto_fd int folder = state_dir_open(RECORD_FOLDER, false, &ignored);
	auto_free char *path = own_printf("%s/" RECORD_WHAT, r->id);
	auto_fd int fd = state_file_open(folder, path, O_RDWR);

	if (fd < 0 ||
	    (!fs_omits("record-lock") && lock_within(fd, LOCK_EX, record_runs(r) ? 0 : LOCK_US)) ||
	    faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW))
		return -1;
	return take_fd(&fd);
}

int record_remove(const struct record *r, struct err *e)
{
	auto_fd int lock = record_runs(r) ? -1 : record_lock(r);
	auto_record struct record now = {.dir = -1};

	/* Another process may have renamed it, or removed it, before the lock was taken. */
	if (lock < 0 ? !record_runs(r) && errno == ENOENT : !record_read_id(r->id, &now))
		return err_set(e, ERR_NOT_FOUND, "No such container: %.100s", record_name(r));
	if (lock < 0)
		return err_set(
			e, ERR_BUSY,
			"cannot remove container \"/%.100s\": container is running: stop the "
			"container before removing or force remove (-f)",
			record_name(r));
	record_erase(r->id, record_name(&now), e);
	if (e->kind != ERR_NONE)
		return -1;
	event_write(&now, &(struct event){.action = "destroy"});
	return 0;
}
