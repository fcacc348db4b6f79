/*
 * volume - a volume by name: a directory that outlives sandboxes, STATE/volumes/NAME.
 */
#include "root/volume.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/lock.h"
#include "fs/names.h"
#include "fs/remove_tree.h"
#include "fs/state_dir.h"
#include "fs/state_file.h"
#include "root/volume_quota.h"
#include "spec/volume.h"

#define LOCK_NAME "volume"
#define TRIES     1000     /* each failed one means that others made and removed it meanwhile */
#define REMOVE_US 10000000 /* how long a new user waits for its removal */
#define LOOK_US   1000000  /* others look at the lock for a moment */

int volume_open_folder(struct err *e)
{
	return state_dir_open(VOLUME_FOLDER, false, e);
}

static int volume_missing(const char *name, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "get %.255s: no such volume", name);
}

/* Open or make a directory of ours. */
static int volume_directory(int above, const char *name, mode_t mode, bool make, bool *made,
			    int flags)
{
	*made = make && !mkdirat(above, name, mode);
	if (make && !*made && errno != EEXIST)
		return -1;
	return openat(above, name, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int volume_take_lock(int lock, enum volume_use use)
{
	if (use == VOLUME_LOOK)
		return 0;
	return use == VOLUME_ALONE ? lock_within(lock, LOCK_EX, LOOK_US)
				   : lock_within(lock, LOCK_SH, REMOVE_US);
}

/* 0; 1: it was removed meanwhile; -1 with errno. */
static int volume_try(const char *name, enum volume_use use, struct volume *v)
{
	const bool make = use == VOLUME_MOUNT;
	bool ignored;
	auto_fd int dir = volume_directory(v->folder, name, 0700, make, &ignored, O_RDONLY);
	struct stat st;

	v->lock = dir < 0 ? -1 : state_file_open(dir, LOCK_NAME, O_RDWR | (make ? O_CREAT : 0));
	if (v->lock < 0 || volume_take_lock(v->lock, use) || fstat(v->lock, &st))
		return make && errno == ENOENT ? 1 : -1;
	/* The lock of a volume that has been removed locks nothing. */
	if (st.st_nlink)
		v->data = volume_directory(dir, VOLUME_DATA, 0755, make, &v->made, O_PATH);
	else
		errno = ENOENT;
	if (v->data < 0)
		return errno == ENOENT && make ? 1 : -1;
	/* A removal that was killed leaves the labels of what is gone. */
	return v->made ? ftruncate(v->lock, 0) : 0;
}

static int volume_failed(const char *name, enum volume_use use, struct err *e)
{
	if (errno == ENOENT)
		return volume_missing(name, e);
	if (errno != EWOULDBLOCK)
		return err_sys(e, "open volume %.255s", name);
	return use == VOLUME_ALONE
		       ? err_set(e, ERR_BUSY,
				 "remove %.255s: volume is in use - [a run without --detach]", name)
		       : err_set(e, ERR_BUSY, "volume %.255s is being removed: try again", name);
}

int volume_open(const char *name, enum volume_use use, struct volume *out, struct err *e)
{
	auto_volume struct volume v = volume_none();
	int again = 1;

	*out = volume_none();
	if (volume_check_name(name, e))
		return use == VOLUME_MOUNT ? -1 : volume_missing(name, e);
	v.folder = state_dir_open(VOLUME_FOLDER, use == VOLUME_MOUNT, e);
	if (v.folder < 0)
		return e->kind == ERR_NONE ? volume_missing(name, e) : -1;
	for (int tries = 0; again > 0 && tries < TRIES; tries++) {
		own_close(&v.lock);
		again = volume_try(name, use, &v);
	}
	if (again)
		return volume_failed(name, use, e);
	*out = v;
	v = volume_none();
	return 0;
}

void volume_close(struct volume *v)
{
	own_close(&v->data);
	own_close(&v->lock);
	own_close(&v->folder);
}

bool volume_is_mounted(const struct volume *v)
{
	if (flock(v->lock, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK;
	(void)flock(v->lock, LOCK_UN);
	return false;
}

static int volume_open_data(const struct volume *v)
{
	return openat(v->data, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int volume_limit(const struct volume *v, uint64_t bytes, struct err *e)
{
	auto_fd int data = volume_open_data(v);
	auto_list struct list names = {0};

	/* A run may have mounted it meanwhile: what it has written counts nowhere. */
	if (lock_within(v->lock, LOCK_EX, LOOK_US))
		return err_set(e, ERR_BUSY, "a run uses it already");
	if (data < 0 || names_read(data, 1, &names) < 0)
		return err_sys(e, "take a new volume");
	return names.count ? err_set(e, ERR_BUSY, "a run has written to it already")
			   : volume_quota_set(data, bytes, e);
}

/* The lock's file goes after the data: whoever makes the volume anew meanwhile waits for it. */
int volume_erase(const struct volume *v, const char *name, struct err *e)
{
	auto_fd int dir = openat(v->folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	auto_fd int data = volume_open_data(v);
	const uint32_t project = data < 0 ? 0 : volume_quota_project(data);

	own_close(&data);
	if (dir < 0 || remove_tree(dir, VOLUME_DATA, UINT64_MAX))
		return err_sys(e, "remove volume %.255s", name);
	volume_quota_clear(dir, project);
	/* Another process may make it anew once its lock is gone. */
	if (unlinkat(dir, LOCK_NAME, 0) ||
	    (unlinkat(v->folder, name, AT_REMOVEDIR) && errno != ENOTEMPTY))
		return err_sys(e, "remove volume %.255s", name);
	return 0;
}
