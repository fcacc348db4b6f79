/*
 * file_store - the files that clients upload and that runs leave.
 */
#include "store/file_store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/private_dir.h"
#include "fs/remove_tree.h"
#include "store/file_store_charge.h"
#include "store/file_store_parts.h"
#include "store/file_store_record.h"

static int file_store_open_part(int dir_fd, const char *name, int *out, const char *path,
				struct err *e)
{
	if (mkdirat(dir_fd, name, 0700) && errno != EEXIST)
		return err_sys(e, "make %.300s/%s", path, name);
	*out = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *out < 0 ? err_sys(e, "open %.300s/%s", path, name) : 0;
}

/*
 * A record lock (fcntl(2)) is not inherited, so a child that outlives us does not keep the store.
 */
static int file_store_lock(struct file_store *s, int dir_fd, const char *path, struct err *e)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	s->lock_fd = openat(dir_fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			    0600);
	if (s->lock_fd < 0)
		return err_sys(e, "open %.300s/lock", path);
	if (!fcntl(s->lock_fd, F_SETLK, &whole))
		return 0;
	if (errno != EAGAIN && errno != EACCES)
		return err_sys(e, "lock %.300s/lock", path);
	if (fcntl(s->lock_fd, F_GETLK, &whole))
		whole.l_pid = 0;
	return err_set(
		e, ERR_BUSY,
		"%.300s: process %d keeps its files there already; --files DIR chooses another",
		path, (int)whole.l_pid);
}

static int file_store_open_parts(struct file_store *s, const char *path, struct err *e)
{
	auto_fd int dir = private_dir_open(path, e);

	if (dir < 0 || file_store_lock(s, dir, path, e))
		return -1;
	/* In a store of the former layout; another directory may have objects of its own. */
	if (!faccessat(dir, "incoming", F_OK, 0) && !faccessat(dir, "scratch", F_OK, 0))
		remove_tree(dir, "objects", UINT64_MAX);
	return file_store_open_part(dir, "files", &s->files_fd, path, e) ||
			       file_store_open_part(dir, "incoming", &s->incoming_fd, path, e) ||
			       file_store_open_part(dir, "scratch", &s->scratch_fd, path, e)
		       ? -1
		       : 0;
}

int file_store_open(const char *path, const struct file_store_limits *limits,
		    struct file_store **out, struct err *e)
{
	struct file_store *s = own_zeroed(1, sizeof(*s));

	s->files_fd = s->incoming_fd = s->scratch_fd = s->lock_fd = -1;
	s->spare_fd = -1;
	s->index.limits = *limits;
	if (file_store_open_parts(s, path, e) || file_store_load(s, path, e)) {
		file_store_close(s);
		return -1;
	}
	*out = s;
	return 0;
}

void file_store_close(struct file_store *s)
{
	file_store_index_fini(&s->index);
	if (s->spare_fd >= 0)
		unlinkat(s->scratch_fd, s->spare, AT_REMOVEDIR);
	own_close(&s->spare_fd);
	own_close(&s->files_fd);
	own_close(&s->incoming_fd);
	own_close(&s->scratch_fd);
	own_close(&s->lock_fd);
	free(s);
}

void file_store_set_limits(struct file_store *s, const struct file_store_limits *limits)
{
	s->index.limits = *limits;
}

static struct file_store_entry *file_store_entry_of(const struct file_store *s, const char *owner,
						    const char *id, struct err *e)
{
	struct file_store_entry *entry =
		file_store_record_is_id(id) ? file_store_index_find(&s->index, owner, id) : NULL;

	if (!entry)
		err_set(e, ERR_NOT_FOUND, "File with ID '%s' not found", id);
	return entry;
}

int file_store_find(const struct file_store *s, const char *owner, const char *id,
		    struct stored_file *out, struct err *e)
{
	const struct file_store_entry *entry = file_store_entry_of(s, owner, id, e);

	if (!entry)
		return -1;
	file_store_index_describe(entry, out);
	return 0;
}

int file_store_open_file(struct file_store *s, const char *owner, const char *id,
			 struct stored_file *out, int *fd, struct file_store_hold *hold,
			 struct err *e)
{
	struct file_store_entry *entry = file_store_entry_of(s, owner, id, e);

	if (!entry)
		return -1;
	*fd = openat(s->files_fd, entry->id, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0)
		return err_sys(e, "open file %s", id);
	file_store_index_describe(entry, out);
	file_store_index_read(entry);
	*hold = (struct file_store_hold){.store = s, .owner = entry->owner, .entry = entry};
	return 0;
}

static int file_store_hold_beyond(struct file_store *s, const char *owner, uint64_t bytes,
				  uint64_t beyond, struct file_store_hold *hold, struct err *e)
{
	if (file_store_charge_hold(&s->index, owner, bytes, beyond, &hold->owner, e))
		return -1;
	hold->store = s;
	hold->bytes += bytes;
	return 0;
}

int file_store_hold(struct file_store *s, const char *owner, uint64_t bytes,
		    struct file_store_hold *hold, struct err *e)
{
	return file_store_hold_beyond(s, owner, bytes, 0, hold, e);
}

int file_store_hold_left(struct file_store *s, const char *owner, uint64_t most, uint64_t beyond,
			 struct file_store_hold *hold, struct err *e)
{
	const uint64_t left = file_store_charge_left(&s->index, owner, beyond);
	const uint64_t bytes = left ? left : 1; /* charging 1 byte fails with the reason */

	return file_store_hold_beyond(s, owner, bytes < most ? bytes : most, beyond, hold, e);
}

bool file_store_holds(const struct file_store *s, const char *owner)
{
	return file_store_charge_holds(&s->index, owner);
}

void file_store_hold_cut(struct file_store_hold *hold, uint64_t bytes)
{
	if (!hold->owner || bytes >= hold->bytes)
		return;
	file_store_charge_unhold(&hold->store->index, hold->owner, hold->bytes - bytes);
	hold->bytes = bytes;
}

void file_store_hold_give(struct file_store_hold *hold, uint64_t size_bytes)
{
	uint64_t cost;

	if (!hold->owner)
		return;
	cost = file_store_charge_cost(&hold->store->index, size_bytes);
	file_store_hold_cut(hold, cost < hold->bytes ? hold->bytes - cost : 0);
}

void file_store_hold_end(struct file_store_hold *hold)
{
	struct file_store_hold ended = *hold;

	*hold = (struct file_store_hold){0};
	if (!ended.owner)
		return;
	file_store_hold_cut(&ended, 0);
	if (ended.entry)
		file_store_index_end_read(&ended.store->index, ended.entry);
	else
		file_store_charge_end_hold(&ended.store->index, ended.owner);
}

const struct file_store_entry *file_store_next(const struct file_store *s, const char *owner,
					       const struct file_store_entry *after,
					       struct stored_file *out)
{
	const struct file_store_entry *entry = after ? after->newer : s->index.oldest;

	while (entry && strcmp(entry->owner->name, owner) != 0)
		entry = entry->newer;
	if (entry)
		file_store_index_describe(entry, out);
	return entry;
}

int file_store_delete(struct file_store *s, const char *owner, const char *id, struct err *e)
{
	struct file_store_entry *entry = file_store_entry_of(s, owner, id, e);

	if (!entry)
		return -1;
	if (unlinkat(s->files_fd, entry->id, 0) && errno != ENOENT)
		return err_sys(e, "delete file %s", id);
	file_store_index_remove(&s->index, entry);
	return 0;
}

unsigned file_store_sweep(struct file_store *s, double now)
{
	double ttl_s = s->index.limits.ttl_s;
	unsigned deleted = 0;

	while (ttl_s > 0 && deleted < FILE_STORE_SWEEP_MOST && s->index.oldest &&
	       s->index.oldest->upload_time + ttl_s <= now) {
		/* On a disk error the next start tries again. */
		unlinkat(s->files_fd, s->index.oldest->id, 0);
		file_store_index_remove(&s->index, s->index.oldest);
		deleted++;
	}
	return deleted;
}

struct file_store_usage file_store_usage(const struct file_store *s, const char *owner)
{
	return owner ? file_store_charge_usage(&s->index, owner) : s->index.usage;
}
