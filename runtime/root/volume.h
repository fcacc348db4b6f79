/*
 * volume - a volume by name: a directory that outlives sandboxes, STATE/volumes/NAME.
 *
 *   volume   its labels and size, as JSON, or nothing; locked by flock(2) while the volume is used
 *   _data    what sandboxes see
 *
 * STATE/volumes and NAME are the user's alone (0700). _data is the user's, too (0755): the ids of a
 * sandbox are mapped to its owner as for any directory of -v (root/root_mounts.c). Everything is
 * opened by descriptor, without following a link.
 *
 * A shared lock is held by whatever mounts the volume; an exclusive one by the process that removes
 * it. So a volume is not removed while it is used, and a volume that is being removed is made anew
 * once it is gone.
 *
 * Runs: monitor, client. Needs: nothing; to remove what others own, root's rights over files; for a
 * size see root/volume_quota.h.
 */
#ifndef GLOVEBOX_ROOT_VOLUME_H
#define GLOVEBOX_ROOT_VOLUME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct volume {
	int folder; /* owned: of all volumes */
	int lock;   /* owned: its file `volume`, locked */
	int data;   /* owned: _data, O_PATH */
	bool made;  /* by this call */
};

enum volume_use {
	VOLUME_LOOK,  /* an existing one, without a lock: it may vanish */
	VOLUME_MOUNT, /* made if it is missing; locked against removal */
	VOLUME_ALONE, /* an existing one; nobody else uses it */
};

static inline struct volume volume_none(void)
{
	return (struct volume){.folder = -1, .lock = -1, .data = -1};
}

/*
 * volume_open
 *
 * @name  one that volume_check_name() accepts.
 * @out   end with volume_close(). On error it owns nothing.
 * Errors: ERR_NOT_FOUND in docker's words; ERR_BUSY: others use it (VOLUME_ALONE), or it is being
 * removed.
 */
int volume_open(const char *name, enum volume_use use, struct volume *out, struct err *e);
void volume_close(struct volume *v);
#define auto_volume __attribute__((cleanup(volume_close)))

/* An owned descriptor of the directory of all volumes, or -1: ERR_NONE where there never was one.
 */
int volume_open_folder(struct err *e);

/* Whether a process mounts it now. */
bool volume_is_mounted(const struct volume *v);

/*
 * volume_limit - give a volume that was just made a size; its lock becomes exclusive.
 * Errors: ERR_BUSY: a run has written to it; those of volume_quota_set().
 */
int volume_limit(const struct volume *v, uint64_t bytes, struct err *e);

/*
 * volume_erase - remove a volume that was opened VOLUME_ALONE, with everything in it.
 * Errors: ERR_SYSTEM; what is left is still a volume of that name.
 */
int volume_erase(const struct volume *v, const char *name, struct err *e);

#endif
